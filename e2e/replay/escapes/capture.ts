// The escapes as the crawler captures them: in its browser, allowed to go to 127.0.0.1 and nowhere else on this machine.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes } from '../../../src/cli/exit-codes.ts'
import { chromiumExecutable } from '../../chromium.ts'
import { polyhistor } from '../../command.ts'
import { crawlLog } from '../../crawl/crawling.ts'
import type { TestArchive } from '../archive.ts'
import type { OriginWeb } from '../origin-web.ts'

/** Names of escapes whose requests the crawler saw and refused. */
export async function captureEscapes(archive: TestArchive, web: OriginWeb): Promise<Set<string>> {
  const groups = web.urls().filter((url) => url.includes('/group/'))
  await capture(
    archive,
    groups,
    '--browser',
    'always',
    '--set',
    `crawl.browserPath=${await chromiumExecutable()}`,
  )
  // What no frame asked for is captured by itself: it is to be replayed.
  const escapes = web.urls().filter((url) => url.includes('/escape/'))
  await capture(archive, escapes, '--browser', 'never')
  const refused = (await crawlLog(archive.home)).filter(({ code }) => code === 'address-forbidden')
  const names = refused.map(({ url }) => /caught\/([\w-]+)/.exec(url)?.[1])
  return new Set(names.filter((name) => name !== undefined))
}

async function capture(archive: TestArchive, urls: readonly string[], ...words: string[]): Promise<void> {
  const seeds = join(archive.home, 'seeds')
  await writeFile(seeds, urls.join('\n'))
  const scope = ['--scope', 'page', '--ignore-robots', '--include', '^http://\\w+[.]localhost:']
  const allowed = ['--allow-address', '127.0.0.1/32', '--delay', '0', '-q', '--json']
  const all = ['crawl', '--seeds', seeds, ...scope, ...allowed, ...words, '--home', archive.home]
  const { code, errors } = await polyhistor(all)
  assert.ok(code === exitCodes.ok || code === exitCodes.partly, errors)
}
