// Marks a capture that was not crawled by this network, but brought into it: imported from a file, or handed over by a peer that did
// not keep its site. The mark names the peer, stands on the capture's own record and goes wherever that goes. Other tools pass
// over it.

import type { FieldList } from '../../formats/http/field-list.ts'
import type { WarcBlock, WarcRecord } from '../../formats/warc/record.ts'

const name = 'Polyhistor-Imported-By'
/** On a revisit that came as one, unlike those that this store made of what it had already. */
const revisitName = 'Polyhistor-Imported-Revisit'
const peerPattern = /^[\w.:-]{1,128}$/

export function markedImported<Block extends WarcBlock>(
  record: WarcRecord<Block>,
  importedBy: string,
): WarcRecord<Block> {
  return { ...record, fields: record.fields.without(name).with(name, importedBy) }
}

/** undefined for all others, also for a mark that cannot be ours. */
export function importedByIn(record: { fields: FieldList }): string | undefined {
  const text = record.fields.get(name)
  return text !== undefined && peerPattern.test(text) ? text : undefined
}

export function markedImportedRevisit<Block extends WarcBlock>(record: WarcRecord<Block>): WarcRecord<Block> {
  return { ...record, fields: record.fields.without(revisitName).with(revisitName, 'yes') }
}

export function isImportedRevisit(record: { fields: FieldList }): boolean {
  return record.fields.get(revisitName) === 'yes'
}
