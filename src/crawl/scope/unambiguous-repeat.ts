// Unambiguous repeat: whether a part of a regular expression can be repeated without a choice of how.
//
// A matcher that backtracks takes exponential time only where a text can be split among repeats in many ways, as `aaaa` by
// `(a+)+`. In `(/[^/]+)+` there is one way at most, and so in `(bar|baz)+`, if only the third character tells which.
// Glushkov's construction gives which positions of the pattern can follow each, as often as there are ways to it; then two
// readers walk the same text by different ways, and where they can meet again there is a choice.
// Careful, not complete: what it does not understand it does not call unambiguous. URLs are ASCII, and so are the sets.

interface Part {
  readonly first: number[]
  readonly last: number[]
  readonly isNullable: boolean
}

const positionsMax = 300
const copiesMax = 20
const pairsMax = 5_000
const everything = (1n << 128n) - 1n
const lineEnds = setOf('\n\r')
const digits = setOf('0123456789')
const wordCharacters = digits | setOf('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_')
const blanks = setOf(' \t\n\v\f\r')
const shorthands: Readonly<Record<string, bigint>> = {
  d: digits,
  D: everything & ~digits,
  w: wordCharacters,
  W: everything & ~wordCharacters,
  s: blanks,
  S: everything & ~blanks,
  n: setOf('\n'),
  r: setOf('\r'),
  t: setOf('\t'),
}

class NotUnderstood extends Error {}

/** Whether `source`, repeated without bound, can match a text in one way only. */
export function isUnambiguousRepeat(source: string): boolean {
  try {
    return new Construction(source).isUnambiguous()
  } catch (error) {
    if (error instanceof NotUnderstood) return false
    throw error
  }
}

class Construction {
  readonly #source: string
  #at = 0
  readonly #sets: bigint[] = []
  readonly #following: number[][] = []

  constructor(source: string) {
    this.#source = source
  }

  isUnambiguous(): boolean {
    const whole = this.#repeated(this.#alternatives())
    if (this.#at < this.#source.length) throw new NotUnderstood()
    const met = new Set<string>()
    const walking: [number, number][] = []
    const walk = (one: number, other: number): boolean => {
      if ((this.#sets[one]! & this.#sets[other]!) === 0n) return true
      if (one === other) return false
      const pair = `${Math.min(one, other)} ${Math.max(one, other)}`
      if (!met.has(pair)) walking.push([one, other])
      met.add(pair)
      if (met.size > pairsMax) throw new NotUnderstood()
      return true
    }
    for (const ways of [whole.first, ...this.#following]) {
      for (const [index, one] of ways.entries())
        for (const other of ways.slice(index + 1)) if (!walk(one, other)) return false
    }
    for (let pair = walking.pop(); pair !== undefined; pair = walking.pop()) {
      for (const one of this.#following[pair[0]]!)
        for (const other of this.#following[pair[1]]!) if (!walk(one, other)) return false
    }
    return true
  }

  #alternatives(): Part {
    let whole = this.#sequence()
    while (this.#source[this.#at] === '|') {
      this.#at++
      const other = this.#sequence()
      // Two ways to match nothing are two ways.
      if (whole.isNullable && other.isNullable) throw new NotUnderstood()
      whole = {
        first: [...whole.first, ...other.first],
        last: [...whole.last, ...other.last],
        isNullable: whole.isNullable || other.isNullable,
      }
    }
    return whole
  }

  #sequence(): Part {
    let whole: Part = { first: [], last: [], isNullable: true }
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!))
      whole = this.#joined(whole, this.#quantified())
    return whole
  }

  #joined(one: Part, other: Part): Part {
    this.#connect(one.last, other.first)
    return {
      first: one.isNullable ? [...one.first, ...other.first] : one.first,
      last: other.isNullable ? [...one.last, ...other.last] : other.last,
      isNullable: one.isNullable && other.isNullable,
    }
  }

  #repeated(part: Part): Part {
    // Repeating what can be nothing can be done in many ways.
    if (part.isNullable) throw new NotUnderstood()
    this.#connect(part.last, part.first)
    return part
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const position of from) this.#following[position]!.push(...to)
  }

  #quantified(): Part {
    const start = this.#at
    const part = this.#atom()
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at))
    if (quantifier === null) return part
    const end = this.#at
    this.#at += quantifier[0].length
    switch (quantifier[0][0]) {
      case '*':
        return { ...this.#repeated(part), isNullable: true }
      case '+':
        return this.#repeated(part)
      case '?':
        return { ...part, isNullable: true }
    }
    const min = Number(quantifier[1])
    const isOpen = quantifier[2] === ',' && quantifier[3] === ''
    const max = quantifier[3] === '' ? min : Number(quantifier[3])
    return this.#copies(part, start, end, { min, max, isOpen })
  }

  /** `x{2,4}` as `xxx?x?`: read again as often as that. */
  #copies(
    part: Part,
    start: number,
    end: number,
    { min, max, isOpen }: { min: number; max: number; isOpen: boolean },
  ): Part {
    const after = this.#at
    if (max > copiesMax || max === 0) throw new NotUnderstood()
    let whole = { ...part, isNullable: part.isNullable || min === 0 }
    for (let copy = 1; copy < max; copy++) {
      this.#at = start
      const next = this.#atom()
      if (this.#at !== end) throw new NotUnderstood()
      whole = this.#joined(whole, { ...next, isNullable: next.isNullable || copy >= min })
    }
    this.#at = after
    return isOpen ? this.#repeated(whole) : whole
  }

  #atom(): Part {
    const char = this.#source[this.#at++]!
    if (char === '(') return this.#group()
    if (char === '[') return this.#position(this.#class())
    if (char === '\\') return this.#position(this.#escape())
    if (char === '.') return this.#position(everything & ~lineEnds)
    if ('^$*+?{}]'.includes(char)) throw new NotUnderstood()
    return this.#position(setOf(char))
  }

  #group(): Part {
    const opening = /^\?(?::|<[A-Za-z_]\w*>)/.exec(this.#source.slice(this.#at))
    if (opening === null && this.#source[this.#at] === '?') throw new NotUnderstood()
    this.#at += opening?.[0].length ?? 0
    const part = this.#alternatives()
    if (this.#source[this.#at++] !== ')') throw new NotUnderstood()
    return part
  }

  #escape(): bigint {
    const char = this.#source[this.#at++] ?? ''
    const shorthand = shorthands[char]
    if (shorthand !== undefined) return shorthand
    // Letters and digits are references, boundaries, code points.
    if (/[A-Za-z0-9]|^$/.test(char)) throw new NotUnderstood()
    return setOf(char)
  }

  #class(): bigint {
    const isNegated = this.#source[this.#at] === '^'
    if (isNegated) this.#at++
    let set = 0n
    while (this.#source[this.#at] !== ']') {
      if (this.#at >= this.#source.length) throw new NotUnderstood()
      set |= this.#classItem()
    }
    this.#at++
    return isNegated ? everything & ~set : set
  }

  #classItem(): bigint {
    const low = this.#source[this.#at++]!
    if (low === '\\') return this.#escape()
    const high = this.#source[this.#at + 1]
    if (this.#source[this.#at] !== '-' || high === undefined || high === ']') return setOf(low)
    if (high === '\\') throw new NotUnderstood()
    this.#at += 2
    let set = 0n
    for (let code = low.charCodeAt(0); code <= high.charCodeAt(0); code++)
      set |= setOf(String.fromCharCode(code))
    return set
  }

  #position(set: bigint): Part {
    const position = this.#sets.length
    if (position >= positionsMax) throw new NotUnderstood()
    this.#sets.push(set)
    this.#following.push([])
    return { first: [position], last: [position], isNullable: false }
  }
}

function setOf(characters: string): bigint {
  let set = 0n
  for (const char of characters) if (char.charCodeAt(0) < 128) set |= 1n << BigInt(char.charCodeAt(0))
  return set
}
