/**
 * What a client puts before its model when the server is connected. Some clients cut it near 2,048 characters, so it
 * stays under 1,800 and says first when to use the server at all.
 */
export const INSTRUCTIONS = `Curated pattern cards of this repository. Ask here BEFORE grep or reading files when you are about to build, port or choose something that a code base usually has a pattern for (retries, caching, jobs, pagination, search, generated docs, servers and the like). A card gives what grep cannot: when NOT to use the pattern, smaller alternatives, the infrastructure it needs, the tests that pin it, and the invariants that must survive when you port it. Emulate; do not clone. Use plain read and grep for a file you already know, or for code that no card cites.

Go from broad to narrow and fetch the least that settles the next decision:
1. search_patterns: describe the task in plain words. "No match" means that the library does not cover it: build it your own way and do not stretch a near miss.
2. get_pattern: with sections (for example avoid_when, requires, invariants) to check fit before you fetch the whole card. Withheld invariants are named and still MUST hold.
3. get_file_excerpt: read the cited docs, code and tests by section or line window.
4. trace_capability: from a capability to docs, code, tests and proof.
5. recommend_emulation_plan: several capabilities at once, in dependency order; say target_infra to learn which steps your target cannot run.
6. validate_snippet: check the TypeScript you wrote against conventions (the answer says whose); mend and call again until it is clean.

Everything is read-only. Every answer says what it leaves out and which call returns it. An error result names the argument and shows a call that works.`;
