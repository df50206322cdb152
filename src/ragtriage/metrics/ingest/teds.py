"""How near the extracted tables come to those of the document, structure and content."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.score import Score
from ragtriage.core.table_views import TablesView
from ragtriage.metrics.ingest._tables import Profile, table_similarity


@metric(
    title="TEDS",
    unit="1 - tree edit distance / nodes of the larger table",
    bounds=(0, 1),
    better="higher",
    source="Zhong et al. 2020 (PubTabNet)",
)
def teds(view: TablesView, *, profile: Profile = "pubtabnet") -> Score:
    """Mean over the tables of 1 - tree edit distance / nodes of the larger table.

    Nodes are table, thead, tbody, tfoot, tr, td and th; to insert or delete one costs 1, to rename it 1 where tag,
    colspan or rowspan differ, else the edit distance of what the cells hold / the longer of both. `profile`:

    - `pubtabnet`: as published, nothing normalised; a cell holds characters and inline tags such as `<b>`.
    - `text`: a cell holds its characters alone.
    - `content`: as `pubtabnet`, but rows stand directly under the table, th is td, and a table without cells scores 0.

    Tables are paired by the cell texts that they share, then by their order; a table that only one side has scores 0.
    Support: the pairs, so the micro value over documents is the published mean over tables. Undefined where the
    document was extracted to a form without tables, where no table has a cell on either side, and where two tables
    have more than 25 million pairs of nodes.

    >>> gold = "<table><tr><td>Year</td><td>Sales</td></tr></table>"
    >>> teds(TablesView((gold,), ("<table><tr><td>Year</td><td>Sale</td></tr></table>",)))
    Value(value=0.95, support=1)
    >>> header = "<table><thead><tr><th>Year</th><th>Sales</th></tr></thead></table>"
    >>> teds(TablesView((gold,), (header,)), profile="content")
    Value(value=1.0, support=1)
    """
    return table_similarity(view, profile=profile)
