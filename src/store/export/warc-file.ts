// The bytes of an exported WARC file, with the place of each capture's record told as it is written.

import { gzip } from '../../formats/warc/compression/compression.ts'
import { warcinfo } from '../../formats/warc/record-builder.ts'
import { encodeRecord } from '../../formats/warc/record-encoding.ts'
import { printWarcDate } from '../../model/timestamp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { countFailure, type ExportResult } from './export-result.ts'
import type { ExportedCapture, ExportedCaptures } from './warc-export.ts'

export interface RecordPlace {
  offset: number
  length: number
}

export interface WarcFileOptions {
  software: string
  filename?: string | undefined
  title?: string | undefined
  whenWritten?: ((exported: ExportedCapture, place: RecordPlace) => Promise<void>) | undefined
  whenCounted?: (() => void) | undefined
}

export async function* warcFile(
  needs: { clock: Clock; random: Random },
  captures: ExportedCaptures,
  result: ExportResult,
  options: WarcFileOptions,
): AsyncGenerator<Uint8Array> {
  const head = headRecord(needs, options)
  let position = head.length
  yield head
  for await (const item of captures.captures()) {
    if (item.kind === 'failure') countFailure(result, item)
    else {
      const offset = position
      for await (const chunk of item.main instanceof Uint8Array ? [item.main] : item.main) {
        position += chunk.length
        yield chunk
      }
      await options.whenWritten?.(item, { offset, length: position - offset })
      position += item.companions.length
      if (item.companions.length > 0) yield item.companions
      result.exported++
      if (item.isRevisit) result.revisits++
    }
    // A capture that was added for another is none of those asked for.
    result.doneCaptures = Math.min(result.totalCaptures, result.exported + result.failed)
    options.whenCounted?.()
  }
  result.doneCaptures = result.totalCaptures
}

function headRecord({ clock, random }: { clock: Clock; random: Random }, options: WarcFileOptions): Buffer {
  const fields: [string, string][] = [
    ['software', options.software],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
  ]
  if (options.title) fields.push(['description', options.title.replace(/[\x00-\x1f\x7f]/g, ' ')])
  const date = printWarcDate(clock.nowMs())
  return encodeRecord(warcinfo({ id: random.uuid(), date, filename: options.filename, fields }), gzip)
}
