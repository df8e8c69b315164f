// What imports leave in the index beside captures: how far each source has got, the names that other archives use for
// contents we hold, and the revisits that still wait for what they point at.
//
// Invariant: the saved position of a source never lies beyond a record whose capture, alias or waiting revisit is not
// durable; all three are saved in one change. So an import that is cut off goes on there and misses nothing.

import type { Digest } from '../../model/digest.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { ImportCounts } from './import-result.ts'

export interface SavedImport {
  isDone: boolean
  /** Which part of the source (a WACZ has several), and the offset in it up to which all is durable. */
  part: number
  offset: number
  counts: ImportCounts
}

/** What has come together since the last save. */
export interface ImportGains {
  /** SHA-1 digests, as source archives have them, of contents here. */
  aliases: { of: Digest; content: Digest }[]
  /** Cursors of revisits without content. */
  waiting: string[]
}

export function noGains(): ImportGains {
  return { aliases: [], waiting: [] }
}

export class ImportLog {
  readonly #index: StoreIndex

  constructor(needs: { index: StoreIndex }) {
    this.#index = needs.index
  }

  of(identity: string): SavedImport | undefined {
    return this.#index.note<SavedImport>(nameOf(identity))
  }

  async save(identity: string, saved: SavedImport, gains: ImportGains): Promise<void> {
    await this.#index.changeForGood(() => {
      for (const { of, content } of gains.aliases) this.#index.putAlias(of.bytes, content.bytes)
      for (const cursor of gains.waiting) this.#index.waiting.put(Buffer.from(cursor, 'base64url'), nothing)
      this.#index.putNote(nameOf(identity), saved)
    })
  }
}

const nothing = Buffer.from([0])

function nameOf(identity: string): string {
  return `import ${identity}`
}
