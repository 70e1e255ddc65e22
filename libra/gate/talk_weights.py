"""Weights of the probe for technical talk; made by bench/make_talk_probe.py, not by hand."""

from __future__ import annotations

from typing import Final

FINGERPRINT: Final = "384-ffb3d7a8b90649db"
"""Of the model whose vectors these weights are for."""
SCALE: Final = 0.0649481
BIAS: Final = 0.640261
MARGIN: Final = 0.6
WEIGHTS: Final = (
    "|Np(<2Cf<C2<H|21@GiJ&JF$}1l{`sAocVM1=|+%`VKG@<l^TIJP!N$@a_2y)%Wib{UHSe_$cEV^$T5rAKoDh@*(~g^#=V8#{~55"
    "Edu%s|2Wy*CDa@MB<27E4+9hC=gjFD?D{VN=r1P&{LupW_4^3v1^WB@KN{%(48s24>>wuD@!9D55lIB-"
    "6)Ee@687EK^8Cyx{PF|Q;1mrC7#r}=^#;Y#_qyHp3-9df_}wDe^ZN+>@6-"
    "eXP!16IEkyDV`xG71LJ|TC1M~Xp=LH8I<O&S+?hFn9+WHy$$PF6W^8g?M@&z9%#_{wOHW~R3=K}34Dh&1{DD?i*?M4(H7Ax4Z`0X"
    "YH`PKXFBPH!66*TMxDcKOs0Lm2=1>5r#0M-Qm_VgP$+At;q4=2=U|MdpW?-B(7+u-T}6cF0}7R2q(3)k`Ns3`E-"
    "5$zG;<qzx&2l@i>9^%~-EF=mh{qpSY1^MX+BoXek>*@da6DKYW?d>G-"
)
