"""How many byte-pair tokens an East Asian character takes: data for the token estimate.

Source: measured, one character at a time, on the public cl100k vocabulary.
"""

from __future__ import annotations

from typing import Final

ONE_TOKEN: Final[frozenset[str]] = frozenset(
    "　、。《》「」『』【】〜あいうえおかがきくけこごさざしじすせそただちっつてでとどなにのはばまみめもやよら"
    "りるれろわをんアィイウェエオカキクグコサシジスズセタダチッテデトドナニバパビピフブプペポマムメャュョラリ"
    "ルレロン・ー️﻿"
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企优会传但位体"
    "何余作你使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動包化北区十午"
    "华单南即历原去县参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四回因国图土在地场址型"
    "城基報場填增声处备复外多大天失头女好如始子字存学安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常"
    "平年并广序库应店度建开异式引张当录形影径待後得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换"
    "据排接推提播支收改放政效数整文料断新方族无日时明易星是時景更最月有服期木未本机权束条来板构析果查标样核格"
    "案检模次款止正此步歳段每比民気水求江汽没治法注活流海消清游源火点無然片版物特率环现球理生用由电男画界番登"
    "的监目直相省看県真知码确示社票私种科秒称移程稍税稿空立站章端笑符第等签简算管箱米类系素索约级线组经结给络"
    "统编网置美老考者而联能自至色节英藏行表装西要見见规视角解言計記話読计认议记论设证评试话询该详语误说请读调"
    "象责败账货购费资起超路身车转软载辑输达过运近还这进连述退送选通速造連道邮部都配释里重量金钟钮链销错键长開"
    "間関门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑"
    "가간값개거게결경고공과구그글기나내는능니다당대도동되된드든들디라래러력로록료류른를름리만메면명목문미버번"
    "보복부분비사산상색생서성세션소수스습시식신아야어에여열오와요용우운원위으은을음의이인일임입자작장재적전정"
    "제져조주지진째체출치크태터턴트튼하한할함해호화환회"
)
"""Kana, punctuation, the most frequent Han characters and Hangul syllables."""

THREE_TOKENS: Final = """
2e80-2fff 3100-313f 3180-4dff 5080-50bf 5100-513f 5480-54bf 55c0-56bf 5780-57bf 5980-59bf 5a00-5b3f
5cc0-5dbf 6080-60bf 6140-61ff 6400-643f 64c0-64ff 6880-68bf 6900-693f 6980-6aff 6f40-703f 7080-70ff
7140-71ff 7280-737f 7440-74ff 7580-763f 7780-783f 78c0-78ff 7c00-7c3f 7cc0-7cff 7d80-7e7f 7fc0-7fff
8100-81bf 8380-83bf 8440-863f 8680-883f 8900-897f 8ac0-8b3f 8e00-8f3f 9100-91bf 9200-92ff 9340-947f
9780-97ff 9900-997f 99c0-9a3f 9a80-9ebf 9f00-9f7f 9fc0-abff ad00-ad3f ad80-adbf ae80-b07f b0c0-b0ff
b180-b27f b300-b33f b380-b3bf b440-b4bf b540-b77f b880-b8bf b900-b93f ba00-ba3f bac0-bbbf bc40-bc7f
bd00-bd7f bdc0-bdff be40-c07f c1c0-c27f c300-c53f c7c0-c7ff c840-c8ff c940-c97f ca00-cbff cc40-cc7f
ccc0-cd7f cdc0-ce3f ce80-d03f d080-d0bf d140-d27f d2c0-d2ff d340-d53f d580-d5ff d680-d7ff
"""
"""Ranges (hexadecimal, inclusive) whose characters mostly take three tokens; all others take two."""
