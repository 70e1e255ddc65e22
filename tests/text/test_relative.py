"""Relative dates in what was said: resolved at the turn's own time, in the person's own zone (lessons.md C102)."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.text.dates import local_day
from libra.text.temporal import _may_date, resolved, temporal

BERLIN = ZoneInfo("Europe/Berlin")


def said(text: str, at: str = "2026-11-30T12:00", zone: str = "UTC") -> list[tuple[str, str, str]]:
    """Return each relative date with its first and last day, for a text said at a local time."""
    tz = ZoneInfo(zone)
    ts = int(datetime.fromisoformat(at).replace(tzinfo=tz).timestamp() * 1000)
    return [
        (
            text[r.start : r.end],
            local_day(r.start_ms, tz).isoformat(),
            local_day(r.end_ms - 1, tz).isoformat(),
        )
        for r in resolved(text, ts, tz)
    ]


DAYS = [
    ("I saw her yesterday.", "2026-11-29"),
    ("It broke the day before yesterday.", "2026-11-28"),
    ("We ship the day after tomorrow.", "2026-12-02"),
    ("The party was last Friday.", "2026-11-27"),
    ("We meet next Friday.", "2026-12-04"),
    ("She left 3 days ago.", "2026-11-27"),
    ("It is due in two days.", "2026-12-02"),
    ("Last night it rained.", "2026-11-29"),
    ("It happened on Friday last week.", "2026-11-27"),
    ("Monday of last week was quiet.", "2026-11-23"),
    ("Next week Tuesday it is.", "2026-12-08"),
    ("This coming Saturday we dance.", "2026-12-05"),
    ("Two Fridays ago it snowed.", "2026-11-20"),
    ("The Friday after next is free.", "2026-12-11"),
    ("The exam is a week from tomorrow.", "2026-12-08"),
    ("We met a week ago today.", "2026-11-23"),
    ("It broke 48 hours ago.", "2026-11-28"),
    ("She called last Tues.", "2026-11-24"),
    ("See you next Wed.", "2026-12-02"),
    ("tmrw we go", "2026-12-01"),
    ("Nächste Woche Dienstag kommt er.", "2026-12-08"),
    ("In vierzehn Tagen ist Ruhe.", "2026-12-14"),
    ("Ce matin il gelait.", "2026-11-30"),
    ("Mardi de la semaine prochaine, peut-être.", "2026-12-08"),
    ("Esta mañana heló.", "2026-11-30"),
    ("今朝は寒かった。", "2026-11-30"),
    ("今早下雪了", "2026-11-30"),
    ("昨天我们上线了", "2026-11-29"),
    ("大前天下雨", "2026-11-27"),
    ("后天交报告", "2026-12-02"),
    ("三天前买的", "2026-11-27"),
    ("上周五开会", "2026-11-27"),
    ("下周一出发", "2026-12-07"),
    ("Hôm qua mình đi Huế", "2026-11-29"),
    ("3 ngày trước trời mưa", "2026-11-27"),
    ("thứ sáu tuần trước họp", "2026-11-27"),
    ("Gestern war ich im Kino.", "2026-11-29"),
    ("Vorgestern kam Post.", "2026-11-28"),
    ("Wir fahren übermorgen.", "2026-12-02"),
    ("Letzten Freitag war Markt.", "2026-11-27"),
    ("Vor drei Tagen ging es noch.", "2026-11-27"),
    ("Wir treffen uns morgen.", "2026-12-01"),
    ("Hier j'étais à Lyon.", "2026-11-29"),
    ("Avant-hier il neigeait.", "2026-11-28"),
    ("Il y a trois jours, tout marchait.", "2026-11-27"),
    ("On part demain.", "2026-12-01"),
    ("Vendredi dernier, marché.", "2026-11-27"),
    ("Ayer fui al cine.", "2026-11-29"),
    ("Hace tres días funcionaba.", "2026-11-27"),
    ("Salimos pasado mañana.", "2026-12-02"),
    ("El próximo viernes hay fiesta.", "2026-12-04"),
    ("昨日、映画を見ました。", "2026-11-29"),
    ("一昨日は雨でした。", "2026-11-28"),
    ("明後日出発します。", "2026-12-02"),
    ("3日前に買いました。", "2026-11-27"),
    ("先週の金曜日に会いました。", "2026-11-27"),
]


@pytest.mark.parametrize(("text", "day"), DAYS)
def test_a_day_in_seven_languages(text: str, day: str) -> None:
    """The word "yesterday" recalled a month later would otherwise be taken for the day before the answer."""
    assert [(first, last) for _, first, last in said(text)] == [(day, day)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("We move next month.", "2026-12-01", "2026-12-31"),
        ("We painted the weekend before last.", "2026-11-21", "2026-11-22"),
        ("Letztes Wochenende war es warm.", "2026-11-28", "2026-11-29"),
        ("Le week-end dernier, il pleuvait.", "2026-11-28", "2026-11-29"),
        ("下个周末去爬山", "2026-12-12", "2026-12-13"),
        ("Sales fell last quarter.", "2026-07-01", "2026-09-30"),
        ("Half a year ago it was new.", "2026-05-01", "2026-05-31"),
        ("Vor einem halben Jahr war es neu.", "2026-05-01", "2026-05-31"),
        ("半年前买的", "2026-05-01", "2026-05-31"),
        ("We start in two weeks.", "2026-12-14", "2026-12-20"),
        ("It was two months ago.", "2026-09-01", "2026-09-30"),
        ("下个月搬家", "2026-12-01", "2026-12-31"),
        ("tuần sau nghỉ", "2026-12-07", "2026-12-13"),
        ("Nächste Woche habe ich frei.", "2026-12-07", "2026-12-13"),
        ("La semaine dernière il a plu.", "2026-11-23", "2026-11-29"),
        ("El mes pasado llovió.", "2026-10-01", "2026-10-31"),
        ("来週は休みです。", "2026-12-07", "2026-12-13"),
        ("去年結婚しました。", "2025-01-01", "2025-12-31"),
    ],
)
def test_weeks_months_and_years(text: str, first: str, last: str) -> None:
    """A wider unit means all of its days."""
    assert [(a, b) for _, a, b in said(text)] == [(first, last)]


def test_midnight_belongs_to_the_persons_day() -> None:
    """At 23:30 and at 00:30 "yesterday" is another day, and not that of UTC (C102)."""
    assert said("yesterday", "2026-04-11T23:30", "Asia/Ho_Chi_Minh")[0][1] == "2026-04-10"
    assert said("yesterday", "2026-04-12T00:30", "Asia/Ho_Chi_Minh")[0][1] == "2026-04-11"
    assert said("hôm qua", "2026-04-12T00:30", "Asia/Ho_Chi_Minh")[0][1] == "2026-04-11"
    assert said("yesterday", "2026-04-11T23:30", "America/Los_Angeles")[0][1] == "2026-04-10"


def test_days_of_23_and_25_hours() -> None:
    """When clocks change a day is an hour shorter or longer, and still one day."""
    spring = int(datetime(2026, 3, 30, 0, 30, tzinfo=BERLIN).timestamp() * 1000)
    autumn = int(datetime(2026, 10, 26, 0, 30, tzinfo=BERLIN).timestamp() * 1000)
    (short,) = resolved("yesterday", spring, BERLIN)
    (long,) = resolved("gestern", autumn, BERLIN)
    assert short.end_ms - short.start_ms == 23 * 3_600_000
    assert long.end_ms - long.start_ms == 25 * 3_600_000


@pytest.mark.parametrize(
    "text",
    [
        "Beatles song about the past",
        "Guten Morgen!",
        "Am Morgen trinke ich Tee.",
        "por la mañana trabajo",
        "Das ist hier im Keller.",
        "on 2026-04-12 we met",
        "in 2019",
        "we have two weeks of holiday",
        "三天打鱼",
        "năm người",
        "this Friday maybe",
    ],
)
def test_what_is_no_relative_date(text: str) -> None:
    """A greeting, a place and a full date are left alone."""
    assert said(text) == []


def test_several_in_order_without_overlap() -> None:
    """Each stands where it was said."""
    assert [t for t, _, _ in said("Yesterday I fell, the day before yesterday I flew, next week I rest.")] == [
        "Yesterday", "the day before yesterday", "next week",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "query", ["was war gestern?", "qu'est-ce qu'on a fait hier ?", "¿qué hicimos ayer?", "昨日何をした？"]
)
def test_questions_in_more_languages_have_windows(query: str) -> None:
    """A question about yesterday looks at yesterday."""
    now = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp() * 1000)
    ((start, _),) = temporal(query, now, UTC).windows
    assert local_day(start, UTC).isoformat() == "2026-11-29"


@given(st.text(max_size=200), st.integers(0, 250_000_000_000_000))
def test_any_text_at_any_time(text: str, ts_ms: int) -> None:
    """Never an error; spans lie inside the text and days are never empty."""
    for r in resolved(text, ts_ms, UTC):
        assert 0 <= r.start < r.end <= len(text)
        assert r.start_ms < r.end_ms


def test_the_quick_look_passes_every_form() -> None:
    """A turn is looked through only if it holds a telling word; none of the forms above may be missed for that."""
    assert all(_may_date(text) for text, _ in DAYS)
    assert not _may_date("We use Redis for the queue.")
