"""Words that carry no content in a query, one table a language."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = """
a about above actually after again against all also am an and any anyone anything are aren't around as ask asked at be
because been before being below between both but by can can't cannot could couldn't did didn't do does doesn't doing
don't down during each either else ever every everyone everything few for from further get gets getting give given go
goes going gonna got had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him
himself his how how's i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just kind know let let's
like likely many may maybe me might mine more most much must my myself need no nor not now of off on once one only or
other others our ours ourselves out over own please really s said same say says shall she she'd she'll she's should
shouldn't since so some someone something still such t tell than thank thanks that that's the their theirs them
themselves then there there's these they they'd they'll they're they've thing things this those though through to too
under until up upon us use used very want wants was wasn't we we'd we'll we're we've well were weren't what what's when
when's where where's whether which while who who's whom whose why why's will with without won't would wouldn't yes yet
you you'd you'll you're you've your yours yourself yourselves
"""

_VIETNAMESE: Final = """
à ai anh ấy bạn bị bởi các cái cần chỉ cho chưa chúng chứ có còn con của cũng cùng đã đang đây để đến đi đó do được gì
hãy hay hoặc hơn khi không kia là lại lúc mà mình mỗi một nào này nên nếu nhé nhưng như những nó ở ra rằng rất rồi sao
sau sẽ ta tại thế thì theo thôi tôi trên trong từ và vào vẫn vậy về vì việc với
"""

STOP_WORDS: Final[frozenset[str]] = frozenset(_ENGLISH.split()) | (
    frozenset(_VIETNAMESE.split()) - {"bạn", "con", "anh", "hay", "ta", "do", "ai", "cho"}
)
"""Dropped from queries only, never from what is indexed. Vietnamese words that are also content words stay."""

STOP_CHARACTERS: Final[frozenset[str]] = frozenset(
    "的了吗呢吧啊么麼什甚怎哪谁誰是在有和与與就都也很不我你他她它们們这這那个個时時候请請问問会會能可要把被给給对對从從到"
    "はがをにのでともやかねよなだです"
)
"""Chinese and Japanese characters that mostly ask or join: a pair that holds one says little of what a question is about."""
