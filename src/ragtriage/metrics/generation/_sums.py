"""Sums that an answer writes out: `4 + 2 = 6`, `5 % × 200 000 = 10 000`, `4 and 2, in all 6`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext

import regex

from ragtriage.text.numbers import Number

__all__ = ["stated_results"]

_OPERATOR = regex.compile(r"[\s\u00a0]*(?P<op>[+\-−–×x*·⋅/÷:])?[\s\u00a0]*")
_EQUALS = regex.compile(r"[\s\u00a0]*[=≈][\s\u00a0]*")
_TOTAL = regex.compile(
    r"(?<![\p{L}])(?:all together|altogether|together|in all|in total|total|sum|всего|итого|вместе|в сумме"
    r"|в общей сложности|разом|усього|всього|загалом|барлығы|жиыны|бірге)(?![\p{L}])[^\p{Nd}.!?]{0,25}$",
    regex.IGNORECASE,
)
_DIGITS = 40
_LEAST_PARTS = 2


def _apply(total: Decimal, op: str, value: Decimal) -> Decimal | None:
    try:
        match op:
            case "+":
                return total + value
            case "-" | "−" | "–":
                return total - value
            case "/" | "÷" | ":":
                return total / value
        return total * value
    except (DivisionByZero, InvalidOperation):
        return None


def _as_factor(number: Number, op: str) -> Decimal:
    """Return the value; a percentage that is multiplied or taken of something is a hundredth."""
    value = number.values[0]
    return value / 100 if number.unit == "%" and op not in "+-−–" else value


def _equal_as_written(computed: Decimal, stated: Number) -> bool:
    """Say whether a result is right to the digits that are written."""
    value = stated.values[0]
    exponent = value.normalize().as_tuple().exponent
    places = max(0, -exponent) if isinstance(exponent, int) else 0
    return abs(computed - value) <= Decimal(1).scaleb(-places) / 2


def _operations(text: str, numbers: Sequence[Number], result: int) -> tuple[int, list[str]] | None:
    """Return the index of the first operand of the sum that ends before `result`, and the operators in order."""
    if result == 0 or not _EQUALS.fullmatch(text, numbers[result - 1].end, numbers[result].start):
        return None
    first = result - 1
    operators: list[str] = []
    while first > 0:
        between = _OPERATOR.fullmatch(text, numbers[first - 1].end, numbers[first].start)
        signed = numbers[first].values and numbers[first].values[0] < 0
        if between is None or (between["op"] is None and not signed):
            break
        operators.insert(0, between["op"] or "+")
        first -= 1
    return (first, operators) if operators else None


def _value(numbers: Sequence[Number], operators: Sequence[str]) -> Decimal | None:
    """Compute operands and operators, multiplication before addition."""
    terms: list[tuple[str, Decimal]] = []
    for i, number in enumerate(numbers):
        op = operators[i - 1] if i else "+"
        next_op = operators[i] if i < len(operators) else op
        value = _as_factor(number, op if i else next_op)
        if op in "+-−–" or not terms:
            terms.append((op, value))
            continue
        sign, before = terms[-1]
        product = _apply(before, op, value)
        if product is None:
            return None
        terms[-1] = (sign, product)
    total: Decimal | None = Decimal(0)
    for sign, value in terms:
        total = None if total is None else _apply(total, sign, value)
    return total


def _is_total(text: str, numbers: Sequence[Number], result: int, rests: Callable[[int], bool]) -> bool:
    """Say whether a number that is called a total is the sum of two or more grounded ones of its unit before it."""
    stated = numbers[result]
    before = text[numbers[result - 1].end if result else 0 : stated.start]
    if len(stated.values) != 1 or not _TOTAL.search(before):
        return False
    total, count = Decimal(0), 0
    for i in range(result - 1, -1, -1):
        part = numbers[i]
        if part.unit != stated.unit:
            continue
        if len(part.values) != 1 or not rests(i):
            return False
        total, count = total + part.values[0], count + 1
        if count >= _LEAST_PARTS and _equal_as_written(total, stated):
            return True
    return False


def stated_results(text: str, numbers: Sequence[Number], grounded: Callable[[Number], bool]) -> set[int]:
    """Return the indexes of numbers that follow by a sum written in the text from grounded numbers.

    A result may be an operand of a later sum. A number that is called a total ("in all", "всего") may also be the sum
    of the numbers of its unit right before it.

    >>> from ragtriage.text.numbers import find_numbers
    >>> stated_results("4 + 2 = 6", find_numbers("4 + 2 = 6"), lambda number: True)
    {2}
    """
    found: set[int] = set()
    with localcontext() as context:
        context.prec = _DIGITS
        for result, number in enumerate(numbers):
            if _is_total(text, numbers, result, lambda i: i in found or grounded(numbers[i])):
                found.add(result)
            operations = _operations(text, numbers, result)
            if operations is None or len(number.values) != 1:
                continue
            first, operators = operations
            operands = numbers[first:result]
            if any(len(n.values) != 1 for n in operands):
                continue
            rests = all(i in found or grounded(n) for i, n in enumerate(operands, first))
            computed = _value(operands, operators) if rests else None
            if computed is not None and _equal_as_written(computed, number):
                found.add(result)
    return found
