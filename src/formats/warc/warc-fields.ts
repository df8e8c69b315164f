// Blocks of type `application/warc-fields`: what warcinfo and metadata records hold.

import { type Field, type FieldList, fieldFault, parseFieldLines } from '../http/field-list.ts'
import { bufferView } from '../wire/buffer-view.ts'
import { WarcRefusal } from './damage.ts'

export function printWarcFields(fields: Iterable<Field>): Buffer {
  let text = ''
  for (const [name, value] of fields) {
    const fault = fieldFault(name, value)
    if (fault !== undefined) throw new WarcRefusal('warc-bad-field', fault)
    text += `${name}: ${value}\r\n`
  }
  return Buffer.from(text)
}

/** Lenient: lines that are no field are passed over, and so are empty lines. */
export function parseWarcFields(block: Uint8Array): FieldList {
  const text = bufferView(block).toString('utf8')
  const lines = text.replace(/^(?:\r?\n)+/, '').replace(/(?:\r?\n){2,}/g, '\r\n')
  return parseFieldLines(lines).fields
}
