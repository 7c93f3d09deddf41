"""Abbreviations whose full stop does not end a sentence, case folded and without the last stop."""

from memu_py.language.wordlist import words

ALWAYS = words(
    """
    mr mrs ms mx dr prof rev hon st mt ft gen col capt lt sgt maj sen rep gov pres supt messrs mme mlle
    vs v cf e.g i.e eg ie al approx ca est dept univ assn bros ave blvd rd u.s u.k u.n e.u d.c n.y l.a
    """
)
"""Something of the same sentence always follows."""

BEFORE_CAPITAL = words("etc a.m p.m am pm inc ltd co corp llc jr sr ph.d b.a m.a m.d b.sc m.sc")
"""The sentence ends there only if a capital follows."""

BEFORE_DIGIT = words(
    """
    no nr nos fig figs eq sec ch vol pp p art ver jan feb mar apr jun jul aug sep sept oct nov dec
    """
)
"""Abbreviations only if a number follows."""
