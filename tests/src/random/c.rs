//! Random tests in herd's C dialect, the kernel's or C11's.

use super::Random;
use super::blanks::Token;

const KERNEL: [&str; 32] = [
    "WRITE_ONCE ( * x , 1 ) ;",
    "WRITE_ONCE ( * y , r0 + 1 ) ;",
    "r0 = READ_ONCE ( * y ) ;",
    "int r1 = READ_ONCE ( * x ) ;",
    "r1 = smp_load_acquire ( x ) ;",
    "smp_store_release ( y , 1 ) ;",
    "smp_store_mb ( * x , 2 ) ;",
    "smp_mb ( ) ;",
    "smp_wmb ( ) ;",
    "smp_rmb ( ) ;",
    "* x = * y ^ 1 ;",
    "* ( x + 0 ) = - 1 ;",
    "r0 = xchg_relaxed ( x , 2 ) ;",
    "r1 = atomic_xchg ( y , r0 ) ;",
    "r0 = cmpxchg ( y , 0 , 1 ) ;",
    "r1 = atomic_cmpxchg_acquire ( x , r0 , 2 ) ;",
    "r0 = atomic_add_unless ( y , 1 , 0 ) ;",
    "r1 = atomic_add_unless ( x , 1 , r0 ) ;",
    "atomic_inc ( x ) ;",
    "r0 = atomic_fetch_add ( 1 , x ) ;",
    "r1 = atomic_sub_return_release ( 1 , y ) ;",
    "r0 = atomic_dec_and_test ( x ) ;",
    "r0 = spin_trylock ( l ) ;",
    "spin_lock ( l ) ;",
    "spin_unlock ( l ) ;",
    "spin_lock ( m ) ;",
    "spin_unlock ( m ) ;",
    "r1 = spin_is_locked ( m ) ;",
    "int * p = ( intptr_t ) rcu_dereference ( * ( intptr_t * * ) q ) ;",
    "p = q ;",
    "r1 = * p ;",
    "( void ) READ_ONCE ( * x ) ;",
];

const C11: [&str; 16] = [
    "* x = 1 ;",
    "r0 = * y ;",
    "int r1 = atomic_load_explicit ( x , memory_order_acquire ) ;",
    "r0 = atomic_load ( y ) ;",
    "atomic_store_explicit ( x , 1 , memory_order_relaxed ) ;",
    "atomic_store_explicit ( y , 1 , memory_order_release ) ;",
    "atomic_store_explicit ( x , 2 , memory_order_seq_cst ) ;",
    "atomic_store ( y , 2 ) ;",
    "r1 = atomic_exchange_explicit ( x , 1 , memory_order_relaxed ) ;",
    "r0 = atomic_fetch_add_explicit ( y , 1 , memory_order_relaxed ) ;",
    "r1 = atomic_fetch_or ( x , 2 ) ;",
    "r0 = atomic_compare_exchange_strong ( x , y , 1 ) ;",
    "r1 = atomic_compare_exchange_strong_explicit ( y , q , 2 , memory_order_relaxed , memory_order_relaxed ) ;",
    "atomic_thread_fence ( memory_order_seq_cst ) ;",
    "atomic_thread_fence ( memory_order_release ) ;",
    "atomic_thread_fence ( memory_order_acquire ) ;",
];

pub(super) fn tokens(random: &mut Random) -> Vec<Token> {
    let kernel = random.one_in(2);
    let mut out = vec![Token::new("C")];
    let name = random.pick(&["SB", "C-MP+o-r+a-o", "auto/C-LB", "R+poonceonces.x"]);
    out.push(Token::line(name));
    if random.one_in(2) {
        out.push(Token::line("\"Fre PodWR; a { sentence\""));
    }
    for line in ["Cycle=Rfe PodRR  Fre", "Com=", "what don't mean anything"] {
        if random.one_in(3) {
            out.push(Token::line(line));
        }
    }
    let put = |out: &mut Vec<Token>, text: &str| out.extend(text.split(' ').map(Token::new));
    put(&mut out, "{");
    let entries = [
        "x = 0 ;",
        "int y = 1 ;",
        "q = x ;",
        "0 : r2 = y ;",
        "int * q2 = & y ;",
        "[ z ] = 2 ;",
        "int a [ 2 ] = { 1 , - 1 } ;",
        "atomic_t u = ATOMIC_INIT ( 1 ) ;",
    ];
    for entry in entries {
        if random.one_in(3) {
            put(&mut out, entry);
        }
    }
    put(&mut out, "}");
    let threads = 1 + random.below(3);
    for thread in 0..threads {
        let locks = if kernel {
            ", spinlock_t * l , spinlock_t * m"
        } else {
            ""
        };
        code(
            &mut out,
            &format!("P{thread} ( int * x , volatile int * y , int * * q {locks} ) {{"),
        );
        let mut left = 1 + random.below(4);
        stmts(random, &mut out, kernel, &mut left, 2);
        code(&mut out, "}");
    }
    if random.one_in(3) {
        put(&mut out, "locations [ x ; 0 : r1 ; ]");
    }
    if random.one_in(4) {
        put(&mut out, "filter ( 0 : r0 != 7 )");
    }
    let quantifier = random.pick(&["exists", "~ exists", "forall"]);
    put(&mut out, quantifier);
    put(&mut out, "(");
    prop(random, &mut out, 2);
    put(&mut out, ")");
    out
}

/// Within a function, where a comment starts otherwise.
fn code(out: &mut Vec<Token>, text: &str) {
    out.extend(
        text.split(' ')
            .filter(|word| !word.is_empty())
            .map(|word| Token {
                code: true,
                ..Token::new(word)
            }),
    );
}

fn stmts(random: &mut Random, out: &mut Vec<Token>, kernel: bool, left: &mut usize, depth: usize) {
    loop {
        stmt(random, out, kernel, left, depth);
        if *left == 0 || random.one_in(6) {
            return;
        }
    }
}

fn stmt(random: &mut Random, out: &mut Vec<Token>, kernel: bool, left: &mut usize, depth: usize) {
    *left = left.saturating_sub(1);
    if depth > 0 && random.one_in(6) {
        let head = random.pick(&[
            "if ( r0 )",
            "if ( r0 == 1 && ! r1 )",
            "if ( ( r0 != 0 ) | * y )",
            "while ( READ_ONCE ( * x ) == 2 )",
        ]);
        code(out, head);
        held(random, out, kernel, left, depth - 1);
        if head.starts_with("if") && random.one_in(3) {
            code(out, "else");
            held(random, out, kernel, left, depth - 1);
        }
        return;
    }
    let from: &[&str] = if kernel { &KERNEL } else { &C11 };
    let text = random.pick(from);
    code(out, text);
}

/// A block, or one simple statement.
fn held(random: &mut Random, out: &mut Vec<Token>, kernel: bool, left: &mut usize, depth: usize) {
    if random.one_in(3) {
        stmt(random, out, kernel, left, 0);
        return;
    }
    code(out, "{");
    if !random.one_in(6) {
        stmts(random, out, kernel, left, depth);
    }
    code(out, "}");
}

fn prop(random: &mut Random, out: &mut Vec<Token>, depth: usize) {
    let mut put = |text: &str| out.extend(text.split(' ').map(Token::new));
    if depth == 0 || random.one_in(3) {
        let atoms = [
            "0 : r0 = 0",
            "0 : r1 = 1",
            "[ x ] = 1",
            "x = 2",
            "y != 1",
            "0 : r1 = x",
            "~ 0 : r0 = 0 : r1",
            "not y = - 1",
        ];
        put(random.pick(&atoms));
        return;
    }
    let op = random.pick(&["/\\", "\\/"]);
    for at in 0..2 {
        if at > 0 {
            out.push(Token::new(op));
        }
        out.push(Token::new("("));
        prop(random, out, depth - 1);
        out.push(Token::new(")"));
    }
}
