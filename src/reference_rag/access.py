"""Who may read what: decided before anything is searched, whatever the question says."""

from __future__ import annotations

from ragtriage.core.records import Document, Principal

__all__ = ["EVERYONE", "may_read", "readers", "tenants"]

EVERYONE = "*"
"""Stands for "any role" and "any tenant" in the index; real names carry a prefix and never collide with it."""


def may_read(document: Document, principal: Principal) -> bool:
    """Say whether a principal may read a document: its tenant or a public one, and one of its roles if it names any.

    >>> may_read(Document(doc_id="d", text="", tenant="arlan", acl=("risk",)), Principal(tenant="arlan"))
    False
    """
    of_tenant = document.tenant is None or document.tenant == principal.tenant
    return of_tenant and (not document.acl or any(role in document.acl for role in principal.roles))


def tenants(name: str | None) -> str:
    """Return the mark of a tenant in the index; None is the public."""
    return EVERYONE if name is None else f"tenant:{name}"


def readers(roles: tuple[str, ...]) -> list[str]:
    """Return the marks of roles in the index; none means everyone."""
    return [f"role:{role}" for role in roles] or [EVERYONE]
