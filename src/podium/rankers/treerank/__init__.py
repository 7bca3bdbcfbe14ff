"""Ranking trees and forests of them (TreeRank): the population cut into segments from best to worst."""
