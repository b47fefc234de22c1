//! What the formatter does, by example.

use super::{Edit, edits, format, format_range};
use crate::span::Span;
use expect_test::{Expect, expect};

fn check(before: &str, after: Expect) {
    let once = match format(before) {
        Ok(once) => once,
        Err(error) => panic!("refused: {error}"),
    };
    after.assert_eq(&once);
    assert_eq!(format(&once).as_deref(), Ok(once.as_str()), "not stable");
}

#[test]
fn a_statement_a_line() {
    check(
        r#"litmus   SB  "both miss"
shared x=0,y ; thread P0{x=1;r0=y;}
thread P1 { y = 1 ; if(x==0){r1=-1;}else if ( x>1 ) { r1 = (x+1)*2;} else {} }


exists(P0:r0=0/\P1:r1=-1) expect SC never,TSO sometimes"#,
        expect![[r#"
            litmus SB
            "both miss"

            shared x = 0, y;

            thread P0 {
              x = 1;
              r0 = y;
            }

            thread P1 {
              y = 1;
              if (x == 0) {
                r1 = -1;
              } else if (x > 1) {
                r1 = (x + 1) * 2;
              } else {}
            }

            exists (P0:r0 = 0 /\ P1:r1 = -1)
            expect SC never, TSO sometimes
        "#]],
    );
}

#[test]
fn loops_and_atomic_operations() {
    check(
        r"litmus L
param N=3;const K = N*2 ;shared a [ N ]={1,2 ,3};mutex m,n;
thread W [i in 0 .. N]{for k in -1..N+1{while(a[ k%N ]!=~0&&! i)max K{lock( m );break;}}
repeat 2{old=cas ( a[0] , - 1,2);sfence;{continue;}}
assert(old<<1>=-2);}",
        expect![[r#"
            litmus L

            param N = 3;
            const K = N * 2;
            shared a[N] = {1, 2, 3};
            mutex m, n;

            thread W[i in 0..N] {
              for k in -1..N + 1 {
                while (a[k % N] != ~0 && !i) max K {
                  lock(m);
                  break;
                }
              }
              repeat 2 {
                old = cas(a[0], -1, 2);
                sfence;
                {
                  continue;
                }
              }
              assert(old << 1 >= -2);
            }
        "#]],
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        r"(* before all *)
litmus C // beside the name
/* about x */ shared x ; // beside x
// about the thread,
// in two lines

thread P0 { // beside the brace

  // about the store
    x = /* the value */ 1;
  /* leading */ r = x; /* trailing */ // both

      // last in the block
}
thread P1 { /* only a comment */ }
exists ( // why
  P0:r = 1 (* herd's *) )
// at the end
",
        expect![[r#"
            (* before all *)
            litmus C // beside the name

            /* about x */ shared x; // beside x

            // about the thread,
            // in two lines

            thread P0 { // beside the brace

              // about the store
              x = /* the value */ 1;
              /* leading */ r = x; /* trailing */ // both

              // last in the block
            }

            thread P1 { /* only a comment */ }

            exists ( // why
              P0:r = 1 (* herd's *))
            // at the end
        "#]],
    );
}

#[test]
fn line_ends_stay_at_connectives() {
    check(
        r"litmus P
shared x, y,
 z;
thread P0 { r = 1; if (x == 0 &&
 y == 1) { r = x
 + y; } }
exists (P0:r = 0 /\ x = 1
     /\ (y = 1 \/
 z = 2))
locations [x;y;
P0:r;]
filter ~(true||false)",
        expect![[r#"
            litmus P

            shared x, y,
              z;

            thread P0 {
              r = 1;
              if (x == 0 &&
                  y == 1) {
                r = x + y;
              }
            }

            exists (P0:r = 0 /\ x = 1
              /\ (y = 1 \/
              z = 2))
            locations [x; y;
              P0:r;]
            filter ~(true || false)
        "#]],
    );
}

#[test]
fn a_blank_line_around_threads() {
    check(
        "litmus B\nshared x;\n\n\n\nshared y;\nthread P0 {\n\n\nx = 1;\n\n\n\ny = 1;\n\n}\nexists (x = 1)\n\n\n\nexpect SC always\n\n\n",
        expect![[r#"
            litmus B

            shared x;

            shared y;

            thread P0 {
              x = 1;

              y = 1;
            }

            exists (x = 1)
            expect SC always
        "#]],
    );
}

#[test]
fn columns_are_aligned() {
    check(
        r#"X86   SB (Alias)  "a doc"
Cycle=Fre   PodWR
{x = 0;y=0 ;0:EAX=1; int z = 3};
P0|P1;
MOV [x],$1|MOV [y] , $1;  (* beside *)
 | MFENCE;

(* own line *)
L0: mov	EAX,[ y ] |;
exists   (0:EAX = 0  /\1:EAX=0\/~( x=1 ));
(* expect: SC never *)"#,
        expect![[r#"
            X86 SB (Alias) "a doc"
            Cycle=Fre   PodWR
            { x=0; y=0; 0:EAX=1; int z=3 };
             P0              | P1         ;
             MOV [x],$1      | MOV [y],$1 ; (* beside *)
                             | MFENCE     ;

            (* own line *)
             L0: mov EAX,[y] |            ;
            exists (0:EAX=0 /\ 1:EAX=0 \/ ~(x=1));
            (* expect: SC never *)
        "#]],
    );
}

#[test]
fn line_ends_of_a_header_stay() {
    check(
        "X86_64 A\n\n\n\"doc\"\nRelax=  \nSafe=A  B\n\n(* about\n   it *)\n{\n\nuint64_t x; uint64_t 0:rax;\nint t[2]={1, -1};\n\n}\n\n P0 ;\n nop;nop\n;\nlocations [x;t;]\nforall\n0:rax = 0 /\\\n (x=1 \\/\n 0:rax= -1)\n<<\nshow   0\n>>\n",
        expect![[r#"
            X86_64 A
            "doc"
            Relax=
            Safe=A  B

            (* about
               it *)
            {
            uint64_t x; uint64_t 0:rax;
            int t[2]={1,-1};
            }

             P0  ;
             nop ;
             nop ;
            locations [x; t;]
            forall
            0:rax=0 /\
            (x=1 \/
             0:rax=-1)
            <<
            show   0
            >>
        "#]],
    );
}

#[test]
fn a_final_condition() {
    check(
        "X86 F\n{x=0}\nP0 ;\nMOV EAX , [x] ;\nfinal (P0:EAX = 1);\nwith\ntso: ~exists;\ndefault:exists;\n",
        expect![[r#"
            X86 F
            { x=0 }
             P0          ;
             MOV EAX,[x] ;
            final (P0:EAX=1);
            with
            tso: ~exists;
            default: exists;
        "#]],
    );
}

#[test]
fn a_comment_within_a_cell() {
    check(
        "X86 F\n{}\nP0 (* first *) | P1 ;\n(* leading *) MOV EAX,[x] | MOV EBX, (* two\nlines *) [y] ;\nexists (x=1)\n",
        expect![[r#"
            X86 F
            {}
             P0 (* first *)            | P1 ;
             (* leading *) MOV EAX,[x] | MOV EBX, (* two
            lines *) [y] ;
            exists (x=1)
        "#]],
    );
}

#[test]
fn the_first_line_end_decides() {
    assert_eq!(
        format("litmus A\r\nshared x;\nthread P { x=1; }").as_deref(),
        Ok("litmus A\r\n\r\nshared x;\r\n\r\nthread P {\r\n  x = 1;\r\n}\r\n")
    );
}

#[test]
fn errors_are_told() {
    let error = format("litmus A\nthread P { x = = ; }\n").expect_err("it has an error");
    assert!(!error.errors.is_empty());
    assert!(
        error
            .to_string()
            .starts_with("not formatted, because it cannot be read: ")
    );
    assert!(error.to_string().contains(error.errors[0].code()));
}

#[test]
fn edits_are_blanks() {
    assert_eq!(
        edits("a=b;  c", "a = b;\nc\n"),
        [
            Edit {
                range: Span::at(1),
                text: " ".into()
            },
            Edit {
                range: Span::at(2),
                text: " ".into()
            },
            Edit {
                range: Span::new(4, 6),
                text: "\n".into()
            },
            Edit {
                range: Span::at(7),
                text: "\n".into()
            },
        ]
    );
    assert_eq!(edits("same", "same"), []);
}

#[test]
fn edits_of_other_texts_are_one() {
    assert_eq!(
        edits("é x = 1; ü", "é y = 1; ö"),
        [Edit {
            range: Span::new(3, 12),
            text: "y = 1; ö".into()
        }]
    );
    assert_eq!(edits("a", "").len(), 1);
    assert_eq!(edits("", "a").len(), 1);
}

#[test]
fn a_range_formats_its_lines_only() {
    let text = "litmus A\n\nshared x,y;\n\nthread P {\n x=1;  \n    y=1;\n x=2;\n}\n";
    let at = text.find("y=1").expect("it is there") as u32;
    let edits = format_range(text, Span::new(at, at + 1)).expect("no errors");
    let mut out = text.to_owned();
    for edit in edits.iter().rev() {
        out.replace_range(edit.range.range(), &edit.text);
    }
    assert_eq!(
        out,
        "litmus A\n\nshared x,y;\n\nthread P {\n x=1;\n  y = 1;\n x=2;\n}\n"
    );
}
