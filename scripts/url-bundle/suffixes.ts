// Public suffixes out of one text, without taking it apart: tldts needs 7 ms of processor time before its first answer, this less than one.
// Whoever asks for many gets them from a set, which takes 4 ms to make.
//
// The same answers as tldts with private suffixes, for hosts as url.ts gives them: suffixes.test.ts has every rule.

/** Looks into the names, each of them 0.1 to 0.3 ms. */
const looksMax = 20

/** Lines, as suffix-rules.ts tells them. */
export interface SuffixRules {
  readonly names: string
  /** Those that begin with `*`, `!` or `-`. */
  readonly marked: string
}

export class Suffixes {
  /** A line for each rule that is a name, and one end of line before the first. Nearly all are. */
  readonly #names: string
  /** The others in the same way: looks into a short text cost nothing. */
  readonly #marked: string
  #looks = 0
  #set: ReadonlySet<string> | undefined

  constructor(rules: SuffixRules) {
    this.#names = `\n${rules.names}\n`
    this.#marked = `\n${rules.marked}\n`
  }

  /** null for an address. */
  suffixOf(host: string): string | null {
    if (isAddress(host)) return null
    // The longest rule counts, so names are cut from the left.
    for (let name = host; ; ) {
      const dot = name.indexOf('.')
      if (dot === -1) return name
      const above = name.slice(dot + 1)
      if (this.#isMarked(`!${name}`)) return above
      if (this.#isMarked(`*.${above}`) && !this.#isMarked(`-${name}`)) return name
      if (this.#isName(name)) return name
      name = above
    }
  }

  /** The suffix with one name more; null where there is none. */
  domainOf(host: string): string | null {
    const suffix = this.suffixOf(host)
    if (suffix === null || suffix.length >= host.length) return null
    const before = host.slice(0, -suffix.length - 1)
    return host.slice(before.lastIndexOf('.') + 1)
  }

  #isMarked(rule: string): boolean {
    return this.#set?.has(rule) ?? this.#marked.includes(`\n${rule}\n`)
  }

  #isName(name: string): boolean {
    if (this.#looks++ < looksMax) return this.#names.includes(`\n${name}\n`)
    this.#set ??= new Set((this.#names + this.#marked).split('\n'))
    return this.#set.has(name)
  }
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}
