// The availability API of the Internet Archive: is there a version of this URL, near this time?

import type { ArchivedCapture, CaptureIndex } from '../model/archive.ts'
import { anyTime, chooseCapture, type Versions } from '../model/capture-choice.ts'
import { inChunks, type Listed } from '../model/listed.ts'
import { printTimestamp, type TimeSpan, timestampSpan } from '../model/timestamp.ts'
import type { Url } from '../model/url/url.ts'
import { dataAnswer, jsonAnswer } from './answers.ts'
import { ApiError, badParameter } from './api-error.ts'
import { archivedUrl } from './archived-url.ts'
import type { MementoLinks } from './memento/memento-links.ts'
import type { Route } from './route.ts'

/** Versions looked at on each side for one that shows a page. */
const looksMax = 1_000
const looksAtOnce = 20
const callbackPattern = /^[A-Za-z_$][\w$]{0,63}(?:\.[A-Za-z_$][\w$]{0,63}){0,3}$/

export function availabilityRoutes(needs: { archive: CaptureIndex; links: MementoLinks }): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/wayback/available',
      isForEveryOrigin: true,
      handle: async ({ query }) => {
        const written = query.get('url')
        if (!written) throw new ApiError('request-bad-parameter', 'Say which page: url=https://example.com/.')
        const found = await find(needs.archive, archivedUrl(written), spanOf(query.get('timestamp')))
        const result = { archived_snapshots: found === undefined ? {} : snapshot(needs.links, found) }
        const callback = query.get('callback')
        return callback === null ? jsonAnswer(result) : callAnswer(callback, result)
      },
    },
  ]
}

function snapshot(links: MementoLinks, capture: ArchivedCapture): object {
  return {
    closest: {
      available: true,
      url: links.memento(capture),
      timestamp: printTimestamp(capture.capturedAtMs),
      status: String(capture.status),
    },
  }
}

/** The nearest that shows something: no error pages, as in the Internet Archive. */
function find(archive: CaptureIndex, url: Url, span: TimeSpan): Promise<ArchivedCapture | undefined> {
  const shown: Versions<ArchivedCapture> = (of, { limit, fromMs, toMs, reverse = false }) =>
    firstShown(archive.versions(of, { fromMs, toMs, reverse, limit: looksMax }), limit)
  return chooseCapture(shown, { url, span, policy: 'nearest' })
}

async function firstShown(captures: Listed<ArchivedCapture>, limit: number): Promise<ArchivedCapture[]> {
  const shown: ArchivedCapture[] = []
  for await (const some of inChunks(captures, looksAtOnce)) {
    shown.push(...some.filter(({ status }) => status < 400))
    if (shown.length >= limit) break
  }
  return shown.slice(0, limit)
}

function spanOf(timestamp: string | null): TimeSpan {
  if (timestamp === null || timestamp === '') return anyTime
  if (!/^[0-9]{1,14}$/.test(timestamp))
    throw badParameter('timestamp', timestamp, '1 to 14 digits, such as 20200131')
  return timestampSpan(timestamp)
}

/** The comment in front keeps the answer from being taken for anything but a script. */
function callAnswer(callback: string, result: object) {
  if (!callbackPattern.test(callback))
    throw badParameter('callback', callback, 'the name of a function, such as show or app.show')
  // U+2028 and U+2029 end lines in older JavaScript, not in JSON.
  const json = JSON.stringify(result).replace(
    /[\u2028\u2029<]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return dataAnswer('application/javascript; charset=utf-8', `/**/${callback}(${json});\n`)
}
