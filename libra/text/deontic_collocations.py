"""Which English words go together: what follows a doubtful verb and shows whether it is one. Data only."""

from __future__ import annotations

from typing import Final

COMPOUND: Final = frozenset(
    """process files file suite suites coverage cases case data values value formats system systems name names number numbers types type messages message notes
    code pages page lists policy plan plans strategy structure times logs order history scripts script results result output outputs artifacts configuration
    config configs settings environment commands command steps step modes levels paths path tables targets servers server requests reviews checklist
    template templates guidelines guide rules tests test hooks runs runner runners scenarios status success details fields images strings statements
    interfaces components interface component size style styles works options points tools tool pipeline pipelines users""".split()
)
"""After a noun that could be a verb: together they are a thing ("Test files", "Release process")."""
THINGS: Final = frozenset(
    {
        ("pull", "request"),
        ("pull", "requests"),
        ("open", "source"),
        ("run", "time"),
        ("run", "times"),
        ("read", "receipts"),
        ("check", "out"),
        ("check", "mark"),
        ("check", "marks"),
        ("note", "that"),
        ("thank", "you"),
        ("thank", "god"),
        ("thank", "goodness"),
        ("sort", "order"),
        ("track", "record"),
        ("let", "me"),
        ("let", "us"),
        ("try", "it"),
        ("get", "started"),
        ("learn", "more"),
        ("find", "out"),
        ("read", "more"),
        ("keep", "reading"),
        ("stay", "tuned"),
    }
)
DO_BUT: Final = frozenset("you we they i he she it not n't these those the".split())
DO_WITH: Final = frozenset("the it these those".split())
"""After "do": an order only in a full sentence ("Do the tests pass" is half a question)."""
AUXILIARY: Final = frozenset("is are was were has have had will can must should may cannot".split())
TAKES_CLAUSE: Final = frozenset(
    """acknowledge agree assert assume believe check clarify confirm consider decide declare demonstrate describe determine ensure explain find guarantee
    have help imagine insist know learn let make mean mention note notice pretend prove realize recognize recommend remember require say see
    show specify state suggest suppose tell think understand validate verify watch""".split()
)
"""Verbs that take a clause ("Verify tests pass"): a finite verb after their object proves nothing."""
PLURAL_FINITE: Final = frozenset(
    """appear arrive come consume contain cost depend do end exist expire fail fall go happen include inherit lag land last lie live mean need occur remain
    range require run show sit start stay survive take vary work""".split()
)
"""After a noun in the plural: what it does ("Cache misses cost …"), so the word before was no order."""
RARELY_ADJUNCT: Final = frozenset(
    "name group split separate mark batch link match mock pin join place wrap store sort keep move track map label order".split()
)
"""Doubtful verbs that rarely make a compound: a thing behind them is an object if the sentence goes on."""
ADJECTIVES: Final = frozenset(
    "open clean clear complete correct direct slow secure separate dry own level free lower close abstract smooth narrow".split()
)
NO_CAPTION: Final = frozenset(
    "include use prefer avoid keep follow ensure respect exclude remember consider favor favour treat".split()
)
"""These announce no command: "Include the attributes: `a`, `b`" is an instruction."""
WHEN: Final = frozenset("only before after once early lazily eagerly never".split())
"""After an object in the plural: even a noun before it was a verb ("Round amounts only at the edge.")."""
PAST: Final = frozenset(
    "based needed required called used made written named located provided supported related limited".split()
)
CONTRIBUTIONS: Final = frozenset(
    """pr prs pull change changes commit commits patch patches branch branches contribution contributions submission submissions push pushes proposal proposals
    issue issues edit edits diff diffs work ticket tickets review reviews dependency dependencies""".split()
)
"""What is handed in: that it "is rejected" is a rule, while a request that is rejected is how a program works."""
TAKES_FOR: Final = frozenset("look watch wait listen aim scan search hunt account check".split())
"""Doubtful verbs that "for" may follow ("Look for a helper first")."""
TRANSGRESSIONS: Final = frozenset(
    """access allocate block branch bypass call commit cross delete depend edit exceed import invoke leave log merge modify mutate open override own print push query
    reach read share skip spawn sleep store suppress throw touch use write""".split()
)
"""What "may not" forbids a thing of the trade; other verbs say that it is not sure ("Tests may not run on Windows")."""
