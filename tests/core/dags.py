"""Hypothesis strategies for graphs: node i depends only on earlier nodes, so every graph is acyclic by construction."""

from hypothesis import strategies as st

ids = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=12)


@st.composite
def dags(draw, max_nodes=12):
    """Draw an upstream mapping with any text as ids, in shuffled order."""
    nodes = draw(st.lists(ids, max_size=max_nodes, unique=True))
    upstream = {
        node: draw(st.lists(st.sampled_from(nodes[:index]), unique=True, max_size=4)) if index else []
        for index, node in enumerate(nodes)
    }
    order = draw(st.permutations(nodes))
    return {node: upstream[node] for node in order}


@st.composite
def graphs(draw, max_nodes=8):
    """Draw any graph, cycles and self edges included."""
    nodes = draw(st.lists(ids, min_size=1, max_size=max_nodes, unique=True))
    return {node: draw(st.lists(st.sampled_from(nodes), unique=True, max_size=3)) for node in nodes}
