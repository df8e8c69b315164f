// Ancestors: which statement of a history comes before which.
//
// A statement comes after those that it names (`after`, `by`, what it approves), and after all before these. Names are digests, so
// there are no circles. What is named and not here yet is left out: with it the answer may change, on all peers alike.

import type { RoleStatement } from './role-statement.ts'

export class Ancestors {
  readonly #indexes = new Map<string, number>()
  readonly #sets: Uint32Array[] = []

  constructor(statements: readonly RoleStatement[]) {
    const byId = new Map(statements.map((statement) => [statement.id, statement]))
    const words = Math.ceil(byId.size / 32)
    for (const statement of inOrder(byId)) {
      const index = this.#sets.length
      const set = new Uint32Array(words)
      for (const id of namedBy(statement)) {
        const before = this.#indexes.get(id)
        if (before === undefined) continue
        for (const [word, bits] of this.#sets[before]!.entries()) set[word]! |= bits
        set[before >>> 5]! |= 1 << (before & 31)
      }
      this.#indexes.set(statement.id, index)
      this.#sets.push(set)
    }
  }

  isBefore(one: string, other: string): boolean {
    const [index, of] = [this.#indexes.get(one), this.#indexes.get(other)]
    if (index === undefined || of === undefined) return false
    return (this.#sets[of]![index >>> 5]! & (1 << (index & 31))) !== 0
  }
}

/** What it comes right after. */
export function namedBy({ after, by, what }: RoleStatement): string[] {
  return [...after, ...(by === undefined ? [] : [by]), ...(what.act === 'approve' ? [what.statement] : [])]
}

/** Each after all that it names. Without recursion: a history may be long. */
function* inOrder(byId: ReadonlyMap<string, RoleStatement>): Iterable<RoleStatement> {
  const done = new Set<string>()
  for (const first of byId.keys()) {
    const stack = [first]
    while (stack.length > 0) {
      const id = stack.at(-1)!
      const statement = byId.get(id)
      if (done.has(id) || statement === undefined) {
        stack.pop()
        continue
      }
      const waiting = namedBy(statement).filter((before) => byId.has(before) && !done.has(before))
      if (waiting.length > 0) {
        stack.push(...waiting)
        continue
      }
      stack.pop()
      done.add(id)
      yield statement
    }
  }
}
