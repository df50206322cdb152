"""The ONNX adapter against a tiny model made here, whose three scores are worked out by hand.

The model adds up three numbers for each token: of its 8 words, "yes" speaks for entailment, "no" for contradiction, and
"so" a little for neutral. Its labels stand in another order than ours.
"""

from __future__ import annotations

import asyncio
import json
import math

import pytest

from ragtriage.core.errors import BadInput, MissingExtra
from ragtriage.models import onnx_entailment
from ragtriage.models.onnx_entailment import OnnxEntailment
from ragtriage.models.ports import CallFailed

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "yes", "no", "so", "well"]
WEIGHTS = {"yes": (0.0, 0.0, 2.0), "no": (2.0, 0.0, 0.0), "so": (0.0, 0.5, 0.0)}  # contradiction, neutral, entailment


@pytest.fixture
def folder(tmp_path, capability):
    capability("onnx")
    make_model(tmp_path / "model.onnx")
    make_tokenizer(tmp_path / "tokenizer.json")
    labels = {"0": "CONTRADICTION", "1": "NEUTRAL", "2": "ENTAILMENT"}
    (tmp_path / "config.json").write_text(json.dumps({"id2label": labels}))
    return tmp_path


def make_model(path):
    import numpy as np  # noqa: PLC0415
    import onnx  # noqa: PLC0415 - only where it is installed
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    table = np.array([WEIGHTS.get(word, (0.0, 0.0, 0.0)) for word in WORDS], dtype=np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["each"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["each", "wide"], ["seen"]),
        helper.make_node("ReduceSum", ["seen", "middle"], ["logits"], keepdims=0),
    ]
    constants = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([2]), "last"),
        numpy_helper.from_array(np.array([1]), "middle"),
    ]
    names = ("input_ids", "attention_mask")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, None]) for name in names]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 3])]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def make_tokenizer(path):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors  # noqa: PLC0415 - only where it is installed

    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - a token of text
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(path))


def entail(model, *pairs):
    return asyncio.run(model.entail(pairs))


def shares(*logits):
    total = sum(math.exp(logit) for logit in logits)
    return [math.exp(logit) / total for logit in logits]


def test_scores_are_the_softmax_of_the_logits_by_label(folder):
    model = OnnxEntailment(folder)
    said, denied, open_ = entail(model, ("well yes", "so"), ("no no", "so"), ("well", "well"))
    contradicted, neutral, entailed = shares(0.0, 0.5, 2.0)
    assert (said.contradicted, said.neutral, said.entailed) == pytest.approx((contradicted, neutral, entailed))
    contradicted, neutral, entailed = shares(4.0, 0.5, 0.0)
    assert (denied.contradicted, denied.neutral, denied.entailed) == pytest.approx((contradicted, neutral, entailed))
    assert (open_.entailed, open_.neutral, open_.contradicted) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_what_stands_past_the_most_tokens_is_read_in_another_window(folder):
    model = OnnxEntailment(folder, max_tokens=16)
    long = " ".join(["well"] * 60 + ["yes"] + ["well"] * 60)
    (found,) = entail(model, (long, "so"))
    assert found.entailed == pytest.approx(shares(0.0, 0.5, 2.0)[2])


def test_a_hypothesis_that_leaves_no_room_is_a_failure_of_its_call(folder):
    model = OnnxEntailment(folder, max_tokens=16)
    with pytest.raises(CallFailed, match="too many"):
        entail(model, ("well", "yes " * 14))


def test_the_identity_is_that_of_the_weights(folder):
    first = OnnxEntailment(folder).identity
    content = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(content.replace(b"tiny", b"tidy"))
    assert OnnxEntailment(folder).identity != first


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("config.json", "{}", "must name entailment"),
        ("config.json", '{"id2label": {"0": "entailment", "1": "not_entailment"}}', "must name entailment"),
        ("config.json", '{"id2label": {"0": "neutral", "1": "neutral", "2": "entailment"}}', "must name entailment"),
        ("tokenizer.json", "{}", "is no tokeniser"),
        ("model.onnx", "junk", "cannot be loaded"),
    ],
)
def test_a_folder_that_holds_no_such_model_is_refused(folder, name, content, said):
    (folder / name).write_text(content)
    with pytest.raises(BadInput, match=said):
        OnnxEntailment(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_folder_that_lacks_a_file_is_refused(folder, name):
    (folder / name).unlink()
    with pytest.raises(BadInput, match=name):
        OnnxEntailment(folder)


def test_without_the_package_the_install_line_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(onnx_entailment.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"ragtriage\[entailment\]"):
        OnnxEntailment(tmp_path)
