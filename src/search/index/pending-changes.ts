// Pending changes: what came to an index since its last segment, and is written with the next, whole or not at all.

import type { Table } from '../../platform/storage/key-value.ts'
import { type DocumentState, isAliveFlag } from './columns.ts'
import { encodeState } from './document-state.ts'
import { documentKey } from './index-keys.ts'
import { encodeVersions, type PageVersions } from './page-versions.ts'
import { SegmentBuilder } from './segment-builder.ts'
import { putTexts, removeText } from './text-groups.ts'

export class PendingChanges {
  readonly builder = new SegmentBuilder()
  /** By key; undefined: forgotten. */
  readonly pages = new Map<string, PageVersions | undefined>()
  /** By document, those that are in the builder, in ascending order. */
  readonly texts = new Map<number, Uint8Array>()
  /** By document, those of earlier segments. */
  readonly marks = new Map<number, DocumentState>()

  get isEmpty(): boolean {
    return this.pages.size === 0 && this.marks.size === 0
  }

  /** All but the builder's terms. */
  write(tables: { readonly pages: Table; readonly texts: Table; readonly marks: Table }): void {
    for (const [key, page] of this.pages) {
      if (page === undefined) tables.pages.remove(Buffer.from(key, 'latin1'))
      else tables.pages.put(Buffer.from(key, 'latin1'), encodeVersions(page))
    }
    putTexts(tables.texts, this.texts)
    for (const [id, state] of this.marks) {
      if ((state.flags & isAliveFlag) === 0) removeText(tables.texts, id)
      tables.marks.put(documentKey(id), encodeState(state))
    }
  }
}
