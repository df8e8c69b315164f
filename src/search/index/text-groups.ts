// Text groups: what results show of documents, in ascending order of their ids, as many of them in a value as fill its pages
// (full-pages.ts), filed under the first id. One to a value took 4 kB for 1.4.
//
// In a value, for each document: how far its id is from the first, the length of its text, and the text.

import { keyAfter, type Table } from '../../platform/storage/key-value.ts'
import { isFull } from './full-pages.ts'
import { documentKey } from './index-keys.ts'
import { pushNumber, readNumberAt } from './posting-list.ts'
import { damaged, sealed, unsealed } from './sealed-bytes.ts'

type Text = readonly [document: number, bytes: Uint8Array]

/** Of documents that are behind all that are there, in ascending order. */
export function putTexts(table: Table, texts: Iterable<Text>): void {
  let group: Text[] = []
  let bytes = 0
  for (const text of texts) {
    if (isFull(bytes, text[1].length)) {
      putGroup(table, group[0]![0], group)
      group = []
      bytes = 0
    }
    group.push(text)
    bytes += text[1].length + textHeadBytes
  }
  if (group.length > 0) putGroup(table, group[0]![0], group)
}

export function textAt(table: Table, document: number): Uint8Array | undefined {
  return groupWith(table, document)?.texts.find(([id]) => id === document)?.[1]
}

export function removeText(table: Table, document: number): void {
  const group = groupWith(table, document)
  if (group === undefined) return
  const rest = group.texts.filter(([id]) => id !== document)
  if (rest.length === 0) table.remove(documentKey(group.first))
  else if (rest.length < group.texts.length) putGroup(table, group.first, rest)
}

/** About. */
const textHeadBytes = 4

function putGroup(table: Table, first: number, texts: readonly Text[]): void {
  const parts = texts.flatMap(([document, bytes]) => {
    const head: number[] = []
    pushNumber(head, document - first)
    pushNumber(head, bytes.length)
    return [Uint8Array.from(head), bytes]
  })
  table.put(documentKey(first), sealed(Buffer.concat(parts)))
}

/** The group in which it is if it is in any. */
function groupWith(table: Table, document: number): { first: number; texts: Text[] } | undefined {
  const [entry] = [...table.range({ to: keyAfter(documentKey(document)), reverse: true, limit: 1 })]
  if (entry === undefined) return undefined
  const first = Buffer.from(entry[0]).readUIntBE(0, 6)
  const bytes = unsealed(entry[1])
  const texts: Text[] = []
  for (let at = 0; at < bytes.length; ) {
    const step = readNumberAt(bytes, at)
    const id = first + step.value
    const length = readNumberAt(bytes, step.next)
    const start = length.next
    at = start + length.value
    if (at > bytes.length) throw damaged()
    texts.push([id, bytes.subarray(start, at)])
  }
  return { first, texts }
}
