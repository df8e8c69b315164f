// The shell commands that documents show: fenced blocks with the language `sh`, and what a remark in front of them says.
//
//   <!-- not run: REASON -->    why a test cannot run it
//   <!-- run until: WORDS -->   it goes on for ever; it has done its work when it prints these words
//
// Everything else is run to its end and must succeed. See e2e/docs/docs-torture.ts.

export interface CommandBlock {
  readonly line: number
  readonly commands: string
  readonly notRun?: string | undefined
  readonly until?: string | undefined
}

const fence = /^(?:<!-- (not run|run until): (.+?) -->\n)?```sh\n([\s\S]*?)^```$/gm

export function commandBlocks(markdown: string): CommandBlock[] {
  return [...markdown.matchAll(fence)].map(({ 1: kind, 2: words, 3: commands, index }) => ({
    line: markdown.slice(0, index).split('\n').length + (kind === undefined ? 0 : 1),
    commands: commands!,
    notRun: kind === 'not run' ? words : undefined,
    until: kind === 'run until' ? words : undefined,
  }))
}
