//! Random tests in the native dialect.

use super::Random;
use super::blanks::Token;

const NAMES: [&str; 6] = ["SB", "2+2W", "MP+mfence+po", "n6", "test-1", "3.SB"];
const REGISTERS: [&str; 4] = ["r0", "r1", "seen", "old"];
const BINARY: [&str; 18] = [
    "||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/",
    "%",
];

pub(super) fn tokens(random: &mut Random) -> Vec<Token> {
    let mut writer = Writer {
        random,
        out: Vec::new(),
        loops: 0,
    };
    writer.test();
    writer.out
}

struct Writer<'a> {
    random: &'a mut Random,
    out: Vec<Token>,
    /// Loops around the place that is written.
    loops: usize,
}

impl Writer<'_> {
    /// Puts tokens that are written with blanks between them.
    fn put(&mut self, text: &str) {
        self.out.extend(text.split(' ').map(Token::new));
    }

    fn test(&mut self) {
        self.out.push(Token::new("litmus"));
        let name = self.random.pick(&NAMES);
        self.out.push(Token::line(name));
        if self.random.one_in(2) {
            self.out
                .push(Token::new("\"a sentence; with | marks (* and *) all\""));
        }
        self.put("shared x = 0 , y , z = - 1 ;");
        self.put("shared a [ 4 ] = { 1 , 2 , 0x3 , - 4 } ;");
        if self.random.one_in(2) {
            self.put("shared b [ 2 ] = 7 ; mutex m ;");
        } else {
            self.put("mutex m ; shared b [ 2 ] ;");
        }
        self.put("param N = 2 ; const K = N * 2 + 1 ;");
        let threads = 1 + self.random.below(3);
        for thread in 0..threads {
            self.thread(thread);
        }
        if self.random.one_in(3) {
            self.put("locations [ x ; a [ 1 ] ; P0 : r0 ; ]");
        }
        if self.random.one_in(4) {
            self.put("filter (");
            self.prop(2);
            self.put(")");
        }
        for _ in 0..self.random.below(3) {
            self.condition();
        }
    }

    /// Thread `P0` is plain, so that conditions can name it; the others may be many.
    fn thread(&mut self, number: usize) {
        self.put("thread");
        self.out.push(Token::new(format!("P{number}")));
        if number > 0 && self.random.one_in(2) {
            self.put("[ i in 0 .. N ]");
        }
        self.put("{");
        for register in REGISTERS {
            self.put(register);
            self.put("= 0 ;");
        }
        self.stmts(3);
        self.put("}");
    }

    fn stmts(&mut self, depth: usize) {
        for _ in 0..self.random.below(5) {
            self.stmt(depth);
        }
    }

    fn block(&mut self, depth: usize) {
        self.put("{");
        self.stmts(depth);
        self.put("}");
    }

    fn place(&mut self) {
        match self.random.below(4) {
            0 => self.put("a [ 3 ]"),
            1 => {
                self.put("b [");
                self.expr(1);
                self.put("]");
            }
            _ => {
                let name = self.random.pick(&["x", "y", "z"]);
                self.put(name);
            }
        }
    }

    fn register(&mut self) {
        let register = self.random.pick(&REGISTERS);
        self.put(register);
    }

    fn stmt(&mut self, depth: usize) {
        let kinds = if depth == 0 { 9 } else { 15 };
        match self.random.below(kinds) {
            0 => {
                self.place();
                self.put("=");
                self.expr(2);
                self.put(";");
            }
            1 | 2 => {
                self.register();
                self.put("=");
                self.expr(3);
                self.put(";");
            }
            3 => {
                self.register();
                self.put("=");
                let op = self.random.pick(&[
                    "xchg",
                    "fetch_add",
                    "fetch_sub",
                    "fetch_or",
                    "fetch_xor",
                    "fetch_max",
                ]);
                self.put(op);
                self.put("(");
                self.place();
                self.put(",");
                self.expr(1);
                self.put(") ;");
            }
            4 => {
                self.register();
                self.put("= cas (");
                self.place();
                self.put(", 0 ,");
                self.expr(1);
                self.put(") ;");
            }
            5 => {
                let fence = self.random.pick(&["mfence ;", "sfence ;"]);
                self.put(fence);
            }
            6 => self.put("lock ( m ) ; unlock ( m ) ;"),
            7 => {
                let word = self.random.pick(&["assert (", "assume ("]);
                self.put(word);
                self.expr(2);
                self.put(") ;");
            }
            8 if self.loops > 0 => {
                let word = self.random.pick(&["break ;", "continue ;"]);
                self.put(word);
            }
            8 => self.put("await ( x == 1 ) ;"),
            9 | 10 => {
                self.put("if (");
                self.expr(2);
                self.put(")");
                self.block(depth - 1);
                while self.random.one_in(3) {
                    self.put("else if (");
                    self.expr(1);
                    self.put(")");
                    self.block(depth - 1);
                }
                if self.random.one_in(2) {
                    self.put("else");
                    self.block(depth - 1);
                }
            }
            11 => {
                self.put("while (");
                self.expr(2);
                self.put(")");
                if self.random.one_in(2) {
                    self.put("max N + 1");
                }
                self.body(depth - 1);
            }
            12 => {
                self.put("for k in - 1 .. K");
                self.body(depth - 1);
            }
            13 => {
                self.put("repeat N");
                self.body(depth - 1);
            }
            _ => self.block(depth - 1),
        }
    }

    fn body(&mut self, depth: usize) {
        self.loops += 1;
        self.block(depth);
        self.loops -= 1;
    }

    fn expr(&mut self, depth: usize) {
        if depth == 0 || self.random.one_in(3) {
            match self.random.below(5) {
                0 => self.register(),
                1 => {
                    let name = self.random.pick(&["x", "y", "N", "K", "a [ 0 ]"]);
                    self.put(name);
                }
                _ => {
                    let number = self
                        .random
                        .pick(&["0", "1", "42", "0xff", "9223372036854775807"]);
                    self.put(number);
                }
            }
            return;
        }
        match self.random.below(5) {
            0 => {
                let op = self.random.pick(&["-", "~", "!"]);
                self.put(op);
                self.expr(0);
            }
            1 => {
                self.put("(");
                self.expr(depth - 1);
                self.put(")");
            }
            _ => {
                self.expr(depth - 1);
                let op = self.random.pick(&BINARY);
                self.put(op);
                self.expr(depth - 1);
            }
        }
    }

    fn condition(&mut self) {
        let quantifier = self.random.pick(&["exists", "~ exists", "forall"]);
        self.put(quantifier);
        if self.random.one_in(3) {
            self.out.push(Token::new("\"a name; of (it)\""));
        }
        self.put("(");
        self.prop(3);
        self.put(")");
        if self.random.one_in(2) {
            self.put("expect SC never , TSO sometimes");
            if self.random.one_in(2) {
                self.put(", PSO always");
            }
        }
    }

    fn prop(&mut self, depth: usize) {
        if depth == 0 || self.random.one_in(3) {
            let side = self.random.pick(&["P0 : r0", "P0 : old", "x", "a [ 1 ]"]);
            self.put(side);
            let op = self.random.pick(&["=", "==", "!=", "<", "<=", ">", ">="]);
            self.put(op);
            let value = self.random.pick(&["0", "1", "- 3", "0x10"]);
            self.put(value);
            return;
        }
        match self.random.below(6) {
            0 => {
                let op = self.random.pick(&["~ (", "! ("]);
                self.put(op);
                self.prop(depth - 1);
                self.put(")");
            }
            1 => {
                self.put("(");
                self.prop(depth - 1);
                self.put(")");
            }
            2 => {
                let word = self.random.pick(&["true", "false"]);
                self.put(word);
            }
            _ => {
                let op = self.random.pick(&["/\\", "\\/", "&&", "||"]);
                for at in 0..2 + self.random.below(3) {
                    if at > 0 {
                        self.put(op);
                    }
                    self.prop(depth - 1);
                }
            }
        }
    }
}
