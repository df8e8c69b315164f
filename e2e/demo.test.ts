// `polyhistor demo` as a newcomer meets it: opened in a browser, a peer killed, ended by Ctrl-C.

import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { firstLine, watched } from '../src/platform/fixtures/child-processes.ts'
import { chromiumExecutable } from './chromium.ts'
import { root } from './command.ts'

/** A busy machine takes many times as long as a quiet one. */
const waitMs = 240_000

describe('the demo', () => {
  let folder: string
  let demo: ChildProcessWithoutNullStreams
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'polyhistor-test-demo-'))
    demo = watched(
      spawn(join(root, 'bin', 'polyhistor'), ['demo', '--json', '--http', 'localhost:0'], {
        env: { ...process.env, TMPDIR: folder },
      }),
    )
    const { url } = JSON.parse(await firstLine(demo)) as { url: string }
    browser = await chromium.launch({ executablePath: await chromiumExecutable(), args: ['--no-sandbox'] })
    page = await browser.newPage()
    page.setDefaultTimeout(waitMs)
    await page.goto(url)
  }, 2 * waitMs)

  afterAll(async () => {
    await browser?.close()
    demo?.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
  })

  test(
    'shows five peers, copies, changes and what is found',
    async () => {
      for (const number of [0, 1, 2, 3, 4])
        await page.waitForSelector(`[data-peer="${number}"][data-state="running"]`)
      await health(/^All \d+ captures have 3 copies/)
      await page.waitForSelector('[data-changes] strong:text-is("changed")')
      await page.locator('[data-ring] .arc').nth(4).waitFor({ state: 'attached' })
      await found('soup')
    },
    2 * waitMs,
  )

  test(
    'loses nothing when a peer is killed: the stream goes on, and the copies are made up for',
    async () => {
      const reader = /from (\w+)\./.exec((await page.textContent('[data-reader]'))!)![1]!
      const card = page.locator('[data-peer]', { hasText: reader })
      await card.locator('[data-action="kill"]').click()
      await page.locator('[data-reader]', { hasText: 'from ', hasNotText: `from ${reader}.` }).waitFor()
      await health(/^All \d+ captures have 3 copies/)
      await found('soup')
      await card.locator('[data-action="start"]').click()
      await card.locator('xpath=self::*[@data-state="running"]').waitFor()
    },
    3 * waitMs,
  )

  test(
    'ends by Ctrl-C and leaves nothing behind',
    async () => {
      const ended = once(demo, 'exit')
      demo.kill('SIGINT')
      assert.deepEqual(await ended, [0, null])
      const left = (await readdir(folder)).filter((name) => name.startsWith('polyhistor-demo-'))
      assert.deepEqual(left, [])
    },
    2 * waitMs,
  )

  function health(words: RegExp): Promise<void> {
    return page.locator('[data-health]', { hasText: words }).waitFor()
  }

  /** Searched until it is: pages are indexed some time after they are kept. */
  async function found(words: string): Promise<void> {
    const endMs = performance.now() + waitMs
    while (performance.now() < endMs) {
      await page.fill('[data-search] input', words)
      await page.click('[data-search] button')
      await page.waitForSelector('[data-hits] .note')
      if ((await page.locator('[data-hits] a').count()) > 0) return
      await page.waitForTimeout(1_000)
    }
    assert.fail(`"${words}" was not found within ${waitMs} ms`)
  }
})
