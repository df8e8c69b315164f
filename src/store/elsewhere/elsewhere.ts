// Contents that peers keep for each other, as the store's face shows it: what is held here for others, what others keep for us.

import type { Digest } from '../../model/digest.ts'
import type { HeldContent, HeldContents } from './held-contents.ts'
import type { ElsewhereSource, PayloadReader } from './payload-reader.ts'
import type { References } from './references.ts'

export type { ElsewhereSource } from './payload-reader.ts'
export type { Reference } from './references.ts'

export class Elsewhere {
  readonly references: References
  readonly #holding: HeldContents
  readonly #payloads: PayloadReader

  constructor(parts: { holding: HeldContents; payloads: PayloadReader; references: References }) {
    this.references = parts.references
    this.#holding = parts.holding
    this.#payloads = parts.payloads
  }

  /** Whether this content is here, and whole. */
  has(digest: Digest): boolean {
    return this.#holding.has(digest)
  }

  /** For each whether it is here, whole, and held for good until it is let go. */
  hold(contents: readonly HeldContent[]): Promise<boolean[]> {
    return this.#holding.hold(contents)
  }

  /** What is held and needed by nothing else here, in the order of digests. */
  heldAlone(after?: Digest): Iterable<HeldContent> {
    return this.#holding.heldAlone(after)
  }

  letGo(digests: readonly Digest[]): Promise<void> {
    return this.#holding.letGo(digests)
  }

  /** From now on payloads that others keep are asked for there; with undefined, no more. */
  reach(source: ElsewhereSource | undefined): void {
    this.#payloads.reachElsewhere(source)
  }
}
