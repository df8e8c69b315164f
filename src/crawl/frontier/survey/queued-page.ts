// A page of the URLs that wait in a lane, in the order in which they are to be fetched. Reads chunk by chunk, as they lie.

import type { PageQuestion, QueuedUrl, SurveyPage } from '../../../model/survey.ts'
import { chunkText } from '../lanes/packed-chunk.ts'
import { decodeItems, Origins } from '../lanes/queue-chunk.ts'
import { afterPrefix, queuePrefix, rankBytes } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'

interface LaneName {
  readonly site: Buffer
  readonly job: number
  readonly authority: string
}

/** The cursor: the chunk's rank, and how many of its URLs were given. */
const cursorPattern = /^([0-9a-f]{16})-(\d{1,4})$/

export function queuedPage(
  table: BufferedTable,
  { site, job, authority }: LaneName,
  { after, limit }: PageQuestion,
): SurveyPage<QueuedUrl> {
  const prefix = queuePrefix(site, job, authority)
  const origins = new Origins(authority)
  const [, rank = '', skipped = '0'] = cursorPattern.exec(after ?? '') ?? []
  const from = Buffer.concat([prefix, Buffer.from(rank, 'hex')])
  const rows: QueuedUrl[] = []
  let skip = Number(skipped)
  for (const [key, value] of table.range(from, afterPrefix(prefix))) {
    const chunk = key.toString('hex', key.length - rankBytes)
    if (chunk !== rank) skip = 0
    const items = decodeItems(chunkText(Buffer.from(value).toString('latin1')), origins).slice(skip)
    for (const [index, { entry }] of items.entries()) {
      if (rows.length === limit) return { rows, next: `${chunk}-${skip + index}` }
      const { href, kind, depth, attempt, via } = entry
      rows.push({ url: href, kind, depth, attempt, via })
    }
  }
  return { rows, next: undefined }
}
