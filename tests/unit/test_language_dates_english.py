"""Dates in English text: what is found, when it is, and what is left alone."""

from datetime import UTC, datetime

import pytest

from memu_py.language.dates import resolve_dates

WEDNESDAY = datetime(2023, 5, 10, 9, 30, tzinfo=UTC)
SATURDAY = datetime(2022, 11, 5, 18, 0, tzinfo=UTC)
SUNDAY = datetime(2023, 7, 16, 20, 15, tzinfo=UTC)
JANUARY = datetime(2024, 1, 3, 8, 0, tzinfo=UTC)
LEAP_DAY = datetime(2024, 2, 29, 12, 0, tzinfo=UTC)

Row = tuple[str, datetime, str, str, str, str]

DAYS: list[Row] = [
    (
        "My sister is getting married! On the 14th of June, in Porto.",
        WEDNESDAY,
        "2023-06-14",
        "2023-06-15",
        "day",
        "14th of June",
    ),
    ("I met Ann yesterday.", WEDNESDAY, "2023-05-09", "2023-05-10", "day", "yesterday"),
    ("Today I rest.", WEDNESDAY, "2023-05-10", "2023-05-11", "day", "Today"),
    ("See you tomorrow!", WEDNESDAY, "2023-05-11", "2023-05-12", "day", "tomorrow"),
    ("We eat out tonight.", WEDNESDAY, "2023-05-10", "2023-05-11", "day", "tonight"),
    ("I slept badly last night", WEDNESDAY, "2023-05-09", "2023-05-10", "day", "last night"),
    ("I ran this morning", WEDNESDAY, "2023-05-10", "2023-05-11", "day", "this morning"),
    ("It rained yesterday evening", WEDNESDAY, "2023-05-09", "2023-05-10", "day", "yesterday evening"),
    ("earlier today I called", WEDNESDAY, "2023-05-10", "2023-05-11", "day", "earlier today"),
    ("the day before yesterday", WEDNESDAY, "2023-05-08", "2023-05-09", "day", "the day before yesterday"),
    ("the day after tomorrow", WEDNESDAY, "2023-05-12", "2023-05-13", "day", "the day after tomorrow"),
    ("I saw him the other day.", WEDNESDAY, "2023-05-03", "2023-05-10", "range", "the other day"),
    ("I leave tomorrow", LEAP_DAY, "2024-03-01", "2024-03-02", "day", "tomorrow"),
    (
        "We spoke yesterday",
        datetime(2024, 1, 1, 0, 5, tzinfo=UTC),
        "2023-12-31",
        "2024-01-01",
        "day",
        "yesterday",
    ),
]

WEEKDAYS: list[Row] = [
    ("I left last Friday.", WEDNESDAY, "2023-05-05", "2023-05-06", "day", "last Friday"),
    ("We met last Wednesday", WEDNESDAY, "2023-05-03", "2023-05-04", "day", "last Wednesday"),
    ("Last Fri I finished it", WEDNESDAY, "2023-05-05", "2023-05-06", "day", "Last Fri"),
    ("I won last Friday", SATURDAY, "2022-11-04", "2022-11-05", "day", "last Friday"),
    ("I fly next Friday", WEDNESDAY, "2023-05-19", "2023-05-20", "day", "next Friday"),
    ("next Monday is a holiday", WEDNESDAY, "2023-05-15", "2023-05-16", "day", "next Monday"),
    ("I am off this Friday", WEDNESDAY, "2023-05-12", "2023-05-13", "day", "this Friday"),
    ("I had a great success this Tuesday", SATURDAY, "2022-11-01", "2022-11-02", "day", "this Tuesday"),
    ("We sing this coming Sunday", WEDNESDAY, "2023-05-14", "2023-05-15", "day", "this coming Sunday"),
    ("this past Saturday we won", WEDNESDAY, "2023-05-06", "2023-05-07", "day", "this past Saturday"),
    ("I saw her on Monday", WEDNESDAY, "2023-05-08", "2023-05-09", "day", "Monday"),
    ("I will see her on Monday", WEDNESDAY, "2023-05-15", "2023-05-16", "day", "Monday"),
    ("We're flying to Rome on Sunday", WEDNESDAY, "2023-05-14", "2023-05-15", "day", "Sunday"),
    ("It must be ready by Friday", WEDNESDAY, "2023-05-12", "2023-05-13", "day", "Friday"),
    ("See you Friday!", WEDNESDAY, "2023-05-12", "2023-05-13", "day", "Friday"),
    ("Tuesday was great", WEDNESDAY, "2023-05-09", "2023-05-10", "day", "Tuesday"),
    ("I danced Saturday night", WEDNESDAY, "2023-05-06", "2023-05-07", "day", "Saturday night"),
    ("Monday of last week", WEDNESDAY, "2023-05-01", "2023-05-02", "day", "Monday of last week"),
    ("next week on Tuesday", WEDNESDAY, "2023-05-16", "2023-05-17", "day", "next week on Tuesday"),
    ("the Friday before last", WEDNESDAY, "2023-04-28", "2023-04-29", "day", "the Friday before last"),
]

WEEKS_AND_MORE: list[Row] = [
    ("I moved last week", WEDNESDAY, "2023-05-01", "2023-05-08", "week", "last week"),
    ("I moved last week", SUNDAY, "2023-07-03", "2023-07-10", "week", "last week"),
    ("this week is hard", WEDNESDAY, "2023-05-08", "2023-05-15", "week", "this week"),
    ("next week I travel", WEDNESDAY, "2023-05-15", "2023-05-22", "week", "next week"),
    ("the week before last", WEDNESDAY, "2023-04-24", "2023-05-01", "week", "the week before last"),
    ("the week after next", WEDNESDAY, "2023-05-22", "2023-05-29", "week", "the week after next"),
    ("We hiked last weekend", WEDNESDAY, "2023-05-06", "2023-05-08", "range", "last weekend"),
    ("I will rest this weekend", WEDNESDAY, "2023-05-13", "2023-05-15", "range", "this weekend"),
    ("We tried it this weekend", WEDNESDAY, "2023-05-06", "2023-05-08", "range", "this weekend"),
    ("next weekend we paint", WEDNESDAY, "2023-05-20", "2023-05-22", "range", "next weekend"),
    ("Over the weekend I painted", WEDNESDAY, "2023-05-06", "2023-05-08", "range", "the weekend"),
    ("I'm going home for the weekend", WEDNESDAY, "2023-05-13", "2023-05-15", "range", "the weekend"),
    ("the weekend before last", WEDNESDAY, "2023-04-29", "2023-05-01", "range", "the weekend before last"),
    ("two weekends ago we met", WEDNESDAY, "2023-04-29", "2023-05-01", "range", "two weekends ago"),
    ("I quit last month", WEDNESDAY, "2023-04-01", "2023-05-01", "month", "last month"),
    ("last month was cold", JANUARY, "2023-12-01", "2024-01-01", "month", "last month"),
    ("next month we marry", WEDNESDAY, "2023-06-01", "2023-07-01", "month", "next month"),
    ("the month before last", WEDNESDAY, "2023-03-01", "2023-04-01", "month", "the month before last"),
    ("at the end of last month", WEDNESDAY, "2023-04-26", "2023-05-01", "range", "the end of last month"),
    ("We went there last year", WEDNESDAY, "2022-01-01", "2023-01-01", "year", "last year"),
    ("this year I learn to swim", WEDNESDAY, "2023-01-01", "2024-01-01", "year", "this year"),
    ("next year she graduates", WEDNESDAY, "2024-01-01", "2025-01-01", "year", "next year"),
    ("early this year", WEDNESDAY, "2023-01-01", "2023-05-03", "range", "early this year"),
    ("We camped last summer", WEDNESDAY, "2022-06-01", "2022-09-01", "season", "last summer"),
    ("this summer we sail", WEDNESDAY, "2023-06-01", "2023-09-01", "season", "this summer"),
    ("a reunion next summer", JANUARY, "2024-06-01", "2024-09-01", "season", "next summer"),
    ("last winter was mild", WEDNESDAY, "2022-12-01", "2023-03-01", "season", "last winter"),
    ("the coming winter", WEDNESDAY, "2023-12-01", "2024-03-01", "season", "coming winter"),
    ("this winter I ski", JANUARY, "2023-12-01", "2024-03-01", "season", "this winter"),
    ("the summer of 2019", WEDNESDAY, "2019-06-01", "2019-09-01", "season", "the summer of 2019"),
    ("in fall 2020 I moved", WEDNESDAY, "2020-09-01", "2020-12-01", "season", "fall 2020"),
    ("spring of last year", WEDNESDAY, "2022-03-01", "2022-06-01", "season", "spring of last year"),
]

COUNTED: list[Row] = [
    ("three days ago I fell", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "three days ago"),
    ("10 days ago", WEDNESDAY, "2023-04-30", "2023-05-01", "day", "10 days ago"),
    ("a week ago", WEDNESDAY, "2023-05-01", "2023-05-08", "week", "a week ago"),
    ("two weeks ago", WEDNESDAY, "2023-04-24", "2023-05-01", "week", "two weeks ago"),
    ("six months ago", WEDNESDAY, "2022-11-01", "2022-12-01", "month", "six months ago"),
    ("twenty-five years ago", WEDNESDAY, "1998-01-01", "1999-01-01", "year", "twenty-five years ago"),
    ("two decades ago", WEDNESDAY, "2003-01-01", "2004-01-01", "year", "two decades ago"),
    ("half a year ago", WEDNESDAY, "2022-11-01", "2022-12-01", "month", "half a year ago"),
    ("a year and a half ago", WEDNESDAY, "2021-11-01", "2021-12-01", "month", "a year and a half ago"),
    ("two and a half years ago", WEDNESDAY, "2020-11-01", "2020-12-01", "month", "two and a half years ago"),
    ("a month and a half ago", WEDNESDAY, "2023-03-20", "2023-03-27", "week", "a month and a half ago"),
    ("a week and a half ago", WEDNESDAY, "2023-04-30", "2023-05-01", "day", "a week and a half ago"),
    ("a few days ago", WEDNESDAY, "2023-05-05", "2023-05-09", "range", "a few days ago"),
    ("a couple of weeks ago", WEDNESDAY, "2023-04-17", "2023-05-01", "range", "a couple of weeks ago"),
    ("several months ago", WEDNESDAY, "2022-10-01", "2023-03-01", "range", "several months ago"),
    ("I started a few years back", WEDNESDAY, "2018-01-01", "2022-01-01", "range", "a few years back"),
    ("two or three weeks ago", WEDNESDAY, "2023-04-17", "2023-05-01", "range", "two or three weeks ago"),
    ("2-3 days ago", WEDNESDAY, "2023-05-07", "2023-05-09", "range", "2-3 days ago"),
    ("a week or two ago", WEDNESDAY, "2023-04-24", "2023-05-08", "range", "a week or two ago"),
    ("an hour ago", WEDNESDAY, "2023-05-10T08:30", "2023-05-10T08:30", "instant", "an hour ago"),
    ("half an hour ago", WEDNESDAY, "2023-05-10T09:00", "2023-05-10T09:00", "instant", "half an hour ago"),
    ("20 minutes ago", WEDNESDAY, "2023-05-10T09:10", "2023-05-10T09:10", "instant", "20 minutes ago"),
    ("a few hours ago", WEDNESDAY, "2023-05-10T04:30", "2023-05-10T07:30", "range", "a few hours ago"),
    ("We will fly in two weeks", WEDNESDAY, "2023-05-22", "2023-05-29", "week", "in two weeks"),
    ("In three days I'm going home", WEDNESDAY, "2023-05-13", "2023-05-14", "day", "In three days"),
    ("in two months' time", WEDNESDAY, "2023-07-01", "2023-08-01", "month", "in two months' time"),
    ("two weekends from now", WEDNESDAY, "2023-05-20", "2023-05-22", "range", "two weekends from now"),
    ("ten days from now", WEDNESDAY, "2023-05-20", "2023-05-21", "day", "ten days from now"),
    (
        "I slept little over the last two days",
        WEDNESDAY,
        "2023-05-08",
        "2023-05-11",
        "range",
        "the last two days",
    ),
    ("these past few weeks", WEDNESDAY, "2023-04-05", "2023-05-11", "range", "these past few weeks"),
    ("in the last month", WEDNESDAY, "2023-04-10", "2023-05-11", "range", "the last month"),
    ("this past week", WEDNESDAY, "2023-05-03", "2023-05-11", "range", "this past week"),
    ("in the last year and a half", WEDNESDAY, "2022-05-10", "2023-05-11", "range", "the last year"),
    (
        "in the last two and a half years",
        WEDNESDAY,
        "2020-11-10",
        "2023-05-11",
        "range",
        "the last two and a half years",
    ),
    (
        "over the last one and a half months",
        WEDNESDAY,
        "2023-03-26",
        "2023-05-11",
        "range",
        "the last one and a half months",
    ),
    ("in the next few days", WEDNESDAY, "2023-05-10", "2023-05-16", "range", "the next few days"),
    ("over the next month", WEDNESDAY, "2023-05-10", "2023-06-11", "range", "the next month"),
]

CALENDAR: list[Row] = [
    ("in May 2023", WEDNESDAY, "2023-05-01", "2023-06-01", "month", "May 2023"),
    ("since he came in march 2021", WEDNESDAY, "2021-03-01", "2021-04-01", "month", "march 2021"),
    ("I was there in March", WEDNESDAY, "2023-03-01", "2023-04-01", "month", "March"),
    ("I was there in June", WEDNESDAY, "2022-06-01", "2022-07-01", "month", "June"),
    ("In June we're going to Rome", WEDNESDAY, "2023-06-01", "2023-07-01", "month", "June"),
    ("in april i went", WEDNESDAY, "2023-04-01", "2023-05-01", "month", "april"),
    ("january was cold", WEDNESDAY, "2023-01-01", "2023-02-01", "month", "january"),
    ("last August I told you", WEDNESDAY, "2022-08-01", "2022-09-01", "month", "last August"),
    ("last May", WEDNESDAY, "2022-05-01", "2022-06-01", "month", "last May"),
    ("next May we marry", WEDNESDAY, "2024-05-01", "2024-06-01", "month", "next May"),
    ("this March", WEDNESDAY, "2023-03-01", "2023-04-01", "month", "this March"),
    ("in May of last year", WEDNESDAY, "2022-05-01", "2022-06-01", "month", "May of last year"),
    ("early May", WEDNESDAY, "2023-05-01", "2023-05-11", "range", "early May"),
    ("mid-April 2022", WEDNESDAY, "2022-04-11", "2022-04-21", "range", "mid-April 2022"),
    ("at the end of March", WEDNESDAY, "2023-03-27", "2023-04-01", "range", "the end of March"),
    ("a concert on May 7", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "May 7"),
    ("7 May 2023", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "7 May 2023"),
    ("on May 7th, 2023 we met", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "May 7th, 2023"),
    ("the 4th of July", WEDNESDAY, "2022-07-04", "2022-07-05", "day", "4th of July"),
    ("We will meet on June 3", WEDNESDAY, "2023-06-03", "2023-06-04", "day", "June 3"),
    ("Sept. 3rd of last year", WEDNESDAY, "2022-09-03", "2022-09-04", "day", "Sept. 3rd of last year"),
    ("I was born on Feb 29", WEDNESDAY, "2020-02-29", "2020-03-01", "day", "Feb 29"),
    ("Friday, May 5, 2023", WEDNESDAY, "2023-05-05", "2023-05-06", "day", "May 5, 2023"),
    ("on 2023-05-07.", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "2023-05-07"),
    ("(2023/5/7)", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "2023/5/7"),
    ("due 5/7/2023", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "5/7/2023"),
    ("due 25/7/2023", WEDNESDAY, "2023-07-25", "2023-07-26", "day", "25/7/2023"),
    ("am 7.5.2023 da", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "7.5.2023"),
    ("on 2023.5.7 there", WEDNESDAY, "2023-05-07", "2023-05-08", "day", "2023.5.7"),
    ("we met on the 15th", WEDNESDAY, "2023-04-15", "2023-04-16", "day", "the 15th"),
    ("we will meet on the 15th.", WEDNESDAY, "2023-05-15", "2023-05-16", "day", "the 15th"),
    ("on the 3rd of next month.", WEDNESDAY, "2023-06-03", "2023-06-04", "day", "the 3rd of next month"),
    ("the first Monday of May", WEDNESDAY, "2023-05-01", "2023-05-02", "day", "the first Monday of May"),
    (
        "the last Friday in June 2022",
        WEDNESDAY,
        "2022-06-24",
        "2022-06-25",
        "day",
        "the last Friday in June 2022",
    ),
    ("the second week of April", WEDNESDAY, "2023-04-08", "2023-04-15", "range", "the second week of April"),
    ("the last week of April", WEDNESDAY, "2023-04-24", "2023-05-01", "range", "the last week of April"),
    (
        "the last weekend of June 2022",
        WEDNESDAY,
        "2022-06-25",
        "2022-06-27",
        "range",
        "the last weekend of June 2022",
    ),
    ("last Christmas", WEDNESDAY, "2022-12-25", "2022-12-26", "day", "last Christmas"),
    ("Thanksgiving 2022", WEDNESDAY, "2022-11-24", "2022-11-25", "day", "Thanksgiving 2022"),
    ("We met on Halloween", WEDNESDAY, "2022-10-31", "2022-11-01", "day", "Halloween"),
    ("We'll meet on New Year’s Eve", WEDNESDAY, "2023-12-31", "2024-01-01", "day", "New Year’s Eve"),
    ("on the 31st.", datetime(2023, 5, 1, tzinfo=UTC), "2023-03-31", "2023-04-01", "day", "the 31st"),
    ("this Christmas", WEDNESDAY, "2023-12-25", "2023-12-26", "day", "this Christmas"),
    ("next Halloween", WEDNESDAY, "2023-10-31", "2023-11-01", "day", "next Halloween"),
    ("back in 2015 I moved", WEDNESDAY, "2015-01-01", "2016-01-01", "year", "2015"),
    ("the year 2001", WEDNESDAY, "2001-01-01", "2002-01-01", "year", "the year 2001"),
    ("late 2022", WEDNESDAY, "2022-09-01", "2023-01-01", "range", "late 2022"),
    ("in Q3 2022", WEDNESDAY, "2022-07-01", "2022-10-01", "range", "Q3 2022"),
    ("the 1990s", WEDNESDAY, "1990-01-01", "2000-01-01", "range", "the 1990s"),
    ("in the '80s", WEDNESDAY, "1980-01-01", "1990-01-01", "range", "the '80s"),
    ("the early 2000s", WEDNESDAY, "2000-01-01", "2003-05-03", "range", "the early 2000s"),
]

SPANS: list[Row] = [
    ("since 2016", WEDNESDAY, "2016-01-01", "2023-05-11", "range", "since 2016"),
    ("ever since last May", WEDNESDAY, "2022-05-01", "2023-05-11", "range", "ever since last May"),
    ("since Monday", WEDNESDAY, "2023-05-08", "2023-05-11", "range", "since Monday"),
    ("from June 3 to June 5", WEDNESDAY, "2022-06-03", "2022-06-06", "range", "from June 3 to June 5"),
    ("between May 1 and May 4", WEDNESDAY, "2023-05-01", "2023-05-05", "range", "between May 1 and May 4"),
    ("from May 2021 to July", WEDNESDAY, "2021-05-01", "2021-08-01", "range", "from May 2021 to July"),
    (
        "from Nov 30 to Jan 2, 2023",
        WEDNESDAY,
        "2022-11-30",
        "2023-01-03",
        "range",
        "from Nov 30 to Jan 2, 2023",
    ),
    (
        "from Nov 30, 2021 to Jan 2",
        WEDNESDAY,
        "2021-11-30",
        "2022-01-03",
        "range",
        "from Nov 30, 2021 to Jan 2",
    ),
    ("June 3-5, 2022", WEDNESDAY, "2022-06-03", "2022-06-06", "range", "June 3-5, 2022"),
    ("3-5 June 2021", WEDNESDAY, "2021-06-03", "2021-06-06", "range", "3-5 June 2021"),
    ("May 1 – May 3", WEDNESDAY, "2023-05-01", "2023-05-04", "range", "May 1 – May 3"),
    ("May 1 through May 3", WEDNESDAY, "2023-05-01", "2023-05-04", "range", "May 1 through May 3"),
    ("from May to July 2022", WEDNESDAY, "2022-05-01", "2022-08-01", "range", "May to July 2022"),
    ("from November to January", WEDNESDAY, "2022-11-01", "2023-02-01", "range", "November to January"),
    ("from 2010 to 2015", WEDNESDAY, "2010-01-01", "2016-01-01", "range", "2010 to 2015"),
    ("(2010-2015)", WEDNESDAY, "2010-01-01", "2016-01-01", "range", "2010-2015"),
    (
        "from yesterday until tomorrow",
        WEDNESDAY,
        "2023-05-09",
        "2023-05-12",
        "range",
        "from yesterday until tomorrow",
    ),
]

CLOCKS: list[Row] = [
    ("today at 3pm.", WEDNESDAY, "2023-05-10T15:00", "2023-05-10T15:00", "instant", "today at 3pm"),
    ("tomorrow morning at 9", WEDNESDAY, "2023-05-11T09:00", "2023-05-11T09:00", "instant", "tomorrow morning at 9"),
    ("tonight at 8", WEDNESDAY, "2023-05-10T20:00", "2023-05-10T20:00", "instant", "tonight at 8"),
    ("At 5 p.m. on Friday I left", WEDNESDAY, "2023-05-05T17:00", "2023-05-05T17:00", "instant", "5 p.m. on Friday"),
    ("on Monday at 10:30", WEDNESDAY, "2023-05-08T10:30", "2023-05-08T10:30", "instant", "Monday at 10:30"),
    ("tomorrow at noon", WEDNESDAY, "2023-05-11T12:00", "2023-05-11T12:00", "instant", "tomorrow at noon"),
    ("yesterday evening at half past seven", WEDNESDAY, "2023-05-09T19:30", "2023-05-09T19:30", "instant",
     "yesterday evening at half past seven"),
    ("tomorrow morning at quarter to nine", WEDNESDAY, "2023-05-11T08:45", "2023-05-11T08:45", "instant",
     "tomorrow morning at quarter to nine"),
    ("today at midnight", WEDNESDAY, "2023-05-11T00:00", "2023-05-11T00:00", "instant", "today at midnight"),
    ("today at 12am", WEDNESDAY, "2023-05-10T00:00", "2023-05-10T00:00", "instant", "today at 12am"),
    ("2023-05-07 18:45", WEDNESDAY, "2023-05-07T18:45", "2023-05-07T18:45", "instant", "2023-05-07 18:45"),
    ("2023-05-07T10:30:00+02:00", WEDNESDAY, "2023-05-07T08:30", "2023-05-07T08:30", "instant",
     "2023-05-07T10:30:00+02:00"),
    ("2023-05-07T10:30Z", WEDNESDAY, "2023-05-07T10:30", "2023-05-07T10:30", "instant", "2023-05-07T10:30Z"),
    ("today at 5 we sat", WEDNESDAY, "2023-05-10", "2023-05-11", "day", "today"),
]  # fmt: skip

FALSE_FRIENDS = [
    "I may go.",
    "He sat down in the sun.",
    "this may be so, next march we march",
    "march to may",
    "until sat",
    "in the last half hour",
    "half a day ago",
    "half a decade ago",
    "zero or more",
    "We march on.",
    "in march i went",
    "Wait a second, we go now.",
    "I finished it in two weeks.",
    "I lived there for three years.",
    "I trained for the past three years.",
    "every Friday we dance",
    "I work on Sundays",
    "Monday to Friday I work",
    "from Monday to Friday I work",
    "I go to Sunday School",
    "Black Friday deals",
    "twice a week",
    "a Tuesday like any other",
    "version 2.5.1 and Python 3.11.2023",
    "10.5.2023.1 is an address",
    "It costs $2022.",
    "2000 steps, in 2000 steps",
    "Call 555-2023-05-07",
    "24/7 and 9/10",
    "31/31/2023",
    "on Feb 30, 2023",
    "It feels like just yesterday",
    "in today's world",
    "at the end of the day it works",
    "years ago, ages ago, a while ago",
    "I'm 25 years old.",
    "I got a letter from April.",
    "The next day we left, over the next week we ate.",
    "at 3pm",
    "last sat she sat",
    "on sun and moon",
    "from 2015 to 2010",
    "12345 years ago",
    "June 5-3",
    "The 7th floor, the 15th time",
    "",
]


def _iso(moment: datetime) -> str:
    text = moment.strftime("%Y-%m-%dT%H:%M")
    return text.removesuffix("T00:00")


@pytest.mark.parametrize(
    ("text", "said_at", "start", "until", "precision", "words"),
    [*DAYS, *WEEKDAYS, *WEEKS_AND_MORE, *COUNTED, *CALENDAR, *SPANS, *CLOCKS],
)
def test_one_date_is_found_and_resolved(
    text: str, said_at: datetime, start: str, until: str, precision: str, words: str
) -> None:
    found = resolve_dates(text, said_at=said_at)

    assert [
        (_iso(one.span.start), _iso(one.span.until), one.span.precision, one.span.words) for one in found
    ] == [(start.removesuffix("T00:00"), until.removesuffix("T00:00"), precision, words)]


@pytest.mark.parametrize("text", FALSE_FRIENDS)
def test_what_only_looks_like_a_date_is_left_alone(text: str) -> None:
    assert resolve_dates(text, said_at=WEDNESDAY) == []


def test_several_dates_come_in_order_of_their_place() -> None:
    text = "Yesterday I ran; tomorrow I swim, and in May 2024 I ride."

    assert [one.span.words for one in resolve_dates(text, said_at=WEDNESDAY)] == [
        "Yesterday",
        "tomorrow",
        "May 2024",
    ]


def test_words_keep_the_spelling_of_the_text() -> None:
    text = "I left LAST\nFriday, New\u00a0Year’s Day 2020"

    words = [one.span.words for one in resolve_dates(text, said_at=WEDNESDAY)]

    assert words == ["LAST\nFriday", "New\u00a0Year’s Day 2020"]
