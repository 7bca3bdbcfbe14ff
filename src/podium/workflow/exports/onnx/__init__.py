"""Models as ONNX: a graph of a few standard operators, in double precision."""
