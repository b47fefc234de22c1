//! The language server end to end: the binary, its pipes, the protocol.

mod client;

mod cancel;
mod commands;
mod edit_features;
mod faults;
mod negotiate;
mod order;
mod params;
mod read_features;
mod results;

/// Store buffering in both dialects, and what differs between them.
pub const NATIVE_SB: &str = "\
litmus SB
shared x, y;
thread P0 {
  x = 1;
  r0 = y;
}
thread P1 {
  y = 1;
  r1 = x;
}
exists (P0:r0 = 0 /\\ P1:r1 = 0)
expect SC never, TSO sometimes, PSO sometimes
";

pub const HERD_SB: &str = "\
X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

/// Store buffering beside many orders of additions: each question takes a second.
pub const MANY_CLASSES: &str = "\
litmus many
shared x, y, z;
thread P0 { x = 1; r0 = y; }
thread P1 { y = 1; r1 = x; }
thread W[i in 0..8] { r = fetch_add(z, 1); }
exists (P0:r0 = 0 /\\ P1:r1 = 0)
";

/// Explores for longer than anyone waits: the orders of so many atomic additions.
pub const ENDLESS: &str = "\
litmus endless
shared x;
thread W[i in 0..14] {
  r = fetch_add(x, 1);
}
exists (x = 14)
";
