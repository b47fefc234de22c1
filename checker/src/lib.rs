//! Reads-from model checking of litmus tests under SC, TSO and PSO.
