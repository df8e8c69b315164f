// Pictures of the demo for README.md: its page with a peer just killed, and a page that it archived, replayed.
//
//   npm run screenshots

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { chromiumExecutable } from '../chromium.ts'
import { root } from '../command.ts'
import { webp } from './webp.ts'

const folder = join(root, 'docs', 'images')
const viewport = { width: 1180, height: 760 }
const waitMs = 240_000

const demo = spawn(join(root, 'bin', 'polyhistor'), ['demo', '--json', '--http', 'localhost:0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await chromium.launch({ executablePath: await chromiumExecutable(), args: ['--no-sandbox'] })
try {
  const [line] = await once(demo.stdout.setEncoding('utf8'), 'data')
  const page = await browser.newPage({ viewport, locale: 'en-GB', reducedMotion: 'reduce' })
  page.setDefaultTimeout(waitMs)
  await page.goto((JSON.parse(line) as { url: string }).url)
  await page.locator('[data-changes] strong', { hasText: 'changed' }).nth(5).waitFor()
  await page.locator('[data-health]', { hasText: /^All \d+ captures/ }).waitFor()
  const shown = await page.getAttribute('[data-archived="0"]', 'href')
  await page.click('[data-peer="2"] [data-action="kill"]')
  await page.locator('[data-health]', { hasText: 'fewer than' }).waitFor()
  await keep(page, 'demo')
  await page.goto(shown!.replace('/web/*/', '/web/'))
  await page.waitForLoadState('networkidle')
  await keep(page, 'demo-replay')
} finally {
  await browser.close()
  demo.kill('SIGINT')
  await once(demo, 'exit')
}

async function keep(page: Page, name: string): Promise<void> {
  await writeFile(join(folder, `${name}.webp`), await webp(browser, await page.screenshot(), viewport))
}
