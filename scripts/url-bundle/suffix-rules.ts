// The rules of the public suffix list as tldts carries it, in the notation of the list: `co.uk`, `*.kawasaki.jp`, `!city.kawasaki.jp`. And
// where tldts parts from the list: a name that only leads to longer rules (`*.svc.firenet.ch`) is not of the wildcard beside it (`*.firenet.ch`). It
// gets a line of its own, `-svc.firenet.ch`.
//
// tldts keeps them as a trie in arrays of numbers, which is no interface of it: suffixes.test.ts holds what comes of them against tldts
// itself. Rules outside ASCII are left out: hosts come in Punycode, and so does each of these rules once more.

import type { SuffixRules } from './suffixes.ts'

interface Trie {
  /** By node, where its edges start; they end where those of the next start. */
  readonly edgeStart: ArrayLike<number>
  /** By edge, how long its label is; labels lie one behind the other. */
  readonly edgeLength: ArrayLike<number>
  readonly edgeChild: ArrayLike<number>
  readonly labelText: string
  /** By node; 0 where no rule ends. */
  readonly nodeFlags: ArrayLike<number>
  readonly rulesRoot: number
  readonly exceptionsRoot: number
}

// Not among its exports.
const trieFile = new URL('data/trie.js', import.meta.resolve('tldts/dist/es6/src/'))

export async function suffixRules(): Promise<SuffixRules> {
  const trie = (await import(trieFile.href)) as Trie
  const labels = labelsOf(trie)
  const rules: string[] = []
  const addBelow = (node: number, suffix: string, mark: string): void => {
    for (let edge = trie.edgeStart[node]!; edge < trie.edgeStart[node + 1]!; edge++) {
      const child = trie.edgeChild[edge]!
      const name = suffix === '' ? labels[edge]! : `${labels[edge]}.${suffix}`
      rules.push((trie.nodeFlags[child] === 0 ? '-' : mark) + name)
      addBelow(child, name, mark)
    }
  }
  addBelow(trie.rulesRoot, '', '')
  addBelow(trie.exceptionsRoot, '', '!')
  const known = new Set(rules)
  const isNeeded = (rule: string) => !rule.startsWith('-') || known.has(`*${rule.slice(rule.indexOf('.'))}`)
  const needed = rules.filter((rule) => /^[!-~]+$/.test(rule) && isNeeded(rule))
  const { names = [], marked = [] } = Object.groupBy(needed, (rule) =>
    /^[*!-]/.test(rule) ? 'marked' : 'names',
  )
  return { names: names.join('\n'), marked: marked.join('\n') }
}

function labelsOf({ edgeLength, labelText }: Trie): string[] {
  let end = 0
  return Array.from(edgeLength, (length) => labelText.slice(end, (end += length)))
}
