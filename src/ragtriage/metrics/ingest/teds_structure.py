"""How near the structure of the extracted tables comes to that of the document's, whatever the cells hold."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score
from ragtriage.core.table_views import TablesView
from ragtriage.metrics.ingest._tables import Profile, table_similarity


@metric(
    title="TEDS of the structure",
    unit="1 - tree edit distance / nodes of the larger table",
    bounds=(0, 1),
    better="higher",
    source="Zhong et al. 2020 (PubTabNet)",
)
def teds_structure(view: TablesView, *, profile: Profile = "pubtabnet") -> Score:
    """Mean over the tables of 1 - tree edit distance / nodes of the larger table, without what the cells hold.

    As `ingest.teds`, but to rename a node costs 1 where tag, colspan or rowspan differ and else nothing; `text` is the
    same as `pubtabnet`. Read both: where this one is high and `ingest.teds` low, the cells were found and misread.
    Undefined where the document was extracted to a form without tables, where no table has a cell on either side, and
    where two tables have more than 25 million pairs of nodes.

    >>> gold = "<table><tr><td>Year</td><td>Sales</td></tr></table>"
    >>> teds_structure(TablesView((gold,), ("<table><tr><td>Yeer</td><td colspan=2>Sales</td></tr></table>",)))
    Value(value=0.75, support=1)
    """
    return table_similarity(view, profile=profile, structure=True)
