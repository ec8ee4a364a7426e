//! Listings and pictures of any model that a builder makes, one that the check refuses as well.

use super::support::{facts, none};
use komorebi_abi::engine::{Group, Ref};
use komorebi_abi::graph::{Graph, NodeBody, dot, listing, svg};

/// Is it a character of XML 1.0?
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[test]
fn names_of_any_characters_leave_a_picture_well_formed_and_a_listing_a_line_a_node() {
    let odd = "a\0b\u{1}\u{b}\n\u{fffe}\u{ffff}\u{85}\u{2028}<&>\"";
    let shown = "a\\u{0}b\\u{1}\\u{b}\\u{a}\\u{fffe}\\u{ffff}\\u{85}\\u{2028}<&>\"";
    let mut graph = Graph::new().named(odd);
    let binding = graph.binding(odd, None);
    let _ = graph.command(odd, Group::Named(Ref::Named(odd.to_owned())), [binding.into()]).named(odd);
    let model = graph.model();
    let text = listing(model, None);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(text.matches(shown).count(), 6, "{text}");
    let picture = svg(model, None);
    assert!(picture.chars().all(is_xml), "{picture}");
    assert!(picture.contains("a\\u{0}b\\u{1}\\u{b}\\u{a}\\u{fffe}"), "{picture}");
    assert!(!dot(model, None).chars().any(|c| c.is_control() && c != '\n'));
    // A name of the facts is any string too.
    let mut facts = facts();
    facts.handlers[0].name = odd.to_owned();
    let mut graph = Graph::new();
    graph.command(1, 0..1, none());
    assert!(svg(graph.model(), Some(&facts)).chars().all(is_xml));
}

#[test]
fn groups_that_the_check_refuses_are_shown_as_they_are() {
    let groups = [0, 1, u64::MAX - 1, u64::MAX];
    let pairs = groups.iter().flat_map(|first| groups.map(|end| (*first, end)));
    for (first, end) in pairs {
        let mut graph = Graph::new();
        for group in
            [Group::Range(first, end), Group::Core(first), Group::Count(end), Group::At(0.into(), end)]
        {
            graph.command("touch", group, none());
        }
        assert!(!graph.check(&facts()).is_empty());
        let model = graph.model();
        let NodeBody::Command(command) = &model.nodes[0].body else { panic!("the first node is a command") };
        assert_eq!(command.group, Group::Range(first, end));
        let one = first.checked_add(1) == Some(end);
        let shown = if one { format!("touch[{first}]()") } else { format!("touch[{first}..{end}]()") };
        for text in [listing(model, None), dot(model, None), svg(model, None)] {
            assert!(text.contains(&shown), "{shown} in {text}");
        }
    }
}
