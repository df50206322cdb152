"""What to look into at each leaf of the diagnosis tree, and for the kinds of one leaf that are mended differently."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["ADVICE"]

ADVICE: Mapping[str, str] = {
    "golden": "Mend the case: `ragtriage golden validate` shows every fault of the set with its line.",
    "ingest": "Look at extraction and chunk borders of the named document, then index it again; "
    "no later stage can find text that is not there.",
    "ingest_missing": "Find out why the named document is not indexed (a crawl, a format, a filter, a failed job), and "
    "index it; no later stage can find what is not there.",
    "ingest_lost": "Look at what the extractor drops of the named document (tables, columns, headers, scans): "
    "`ragtriage ingest` shows it beside a reference; then index it again.",
    "ingest_garbled": "Look at encoding and OCR of the named document: `ragtriage ingest` shows where its text differs "
    "from a reference; then index it again.",
    "ingest_moved": "Look at the order in which the extractor reads the document and at the offsets of its chunks: "
    "`ingest.chunk_attribution` and `ingest.reading_order` measure them.",
    "ingest_split": "Look at chunk size, borders and overlap for the named document, then index it again.",
    "ingest_late": "Shorten the way of a change into the index (batches, queue, refresh interval) and hold the lag by "
    "a gate on `ingest.freshness_lag`; `ingest.stale_query_share` says how many questions met a change on its way.",
    "ingest_served": "Take deleted documents out of the index sooner, or drop them from what a search returns; hold "
    "the lag by a gate on `ingest.deletion_lag`.",
    "access": "Stop the release. Enforce the documents' tenant and roles in the index, before ranking, "
    "and again on what is cited.",
    "stale": "Filter by the day the question is asked for, and take replaced versions out of the index.",
    "query": "Search with the raw question beside its rewrites, or mend the rewriting.",
    "ontology": "Look at how the mention was linked; a wrong entity decides predicates and answer.",
    "filter": "Apply this predicate as a boost instead of a hard filter, unless correctness demands it "
    "(access, jurisdiction, published).",
    "filter_wrong": "Mend the extraction of this predicate, or apply it as a boost as long as it errs.",
    "retrieval": "Look at embeddings, tokenisation and hybrid search for this question before the generator's prompt.",
    "low": "The evidence is found and ranked low: look at reranking, hybrid weights, duplicates and top-k.",
    "fusion": "Look at the weights of the lanes and the depth of each list before fusing.",
    "rerank": "Compare with the order before the reranker (`retrieval.rerank_uplift`); "
    "look at its language, its input length and its cut-off.",
    "assembly": "Look at the token budget, compression, deduplication and order of the context.",
    "generation": "The evidence was there: look at the prompt, the order of instructions and the claims' scope; "
    "then at the judge.",
    "abstention": "The evidence was there: loosen the rule by which the system abstains, "
    "or show it the evidence first.",
    "no_abstention": "Make the system abstain where its context does not hold the answer, and test that it does.",
    "behaviour": "Look at the rule by which the system chooses to answer, ask back or hand over.",
    "injection": "Stop the release. Keep instructions in documents apart from the prompt's own and strip them from "
    "answers.",
    "citation": "The answer is right and its proof is not: align each citation with the passage that supports the "
    "claim.",
    "format": "Mend the output format: constrain it by a schema, or check and ask again.",
    "service": "Look at the named stage's errors, time-outs and limits; the case says nothing about quality.",
    "judge": "Give the case to a person: judge, rubric or reference may be wrong.",
}
