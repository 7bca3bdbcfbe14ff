"""Logistic regression with an L1 penalty: the plug-in rule of lines on few of many columns."""
