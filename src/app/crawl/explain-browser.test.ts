import assert from 'node:assert/strict'
import { test } from 'vitest'
import { browserNeed } from '../../crawl/browser/browser-need.ts'
import { SiteLessons } from '../../crawl/browser/site-lessons.ts'
import type { BrowserUse } from '../../model/jobs/site-rule.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { explainBrowser } from './explain-browser.ts'

const shell = parseUrl('http://a.test/')
const unknown = parseUrl('http://a.test/unknown')

/** A peer whose setting is `never`: it shows what rules and crawls ask for. */
function showing(lack?: string) {
  const lessons = new SiteLessons({ get: () => undefined, put: () => {} }, { nowMs: () => 0 })
  return {
    mode: 'auto' as const,
    lack,
    isUsedFor: (use: BrowserUse | undefined) => use !== undefined && use !== 'never',
    explain: (url: Url, html: string, use: 'auto' | 'always' | undefined) =>
      use === 'always' ? { isShown: true, reason: 'every page is' } : lessons.choose(url, browserNeed(html)),
  }
}

const rule = (use: BrowserUse) => ({ use, by: 'the rule for the site a.test' })

test('who says whether a browser is used is told, and why', async () => {
  const store = await openStore()
  await store.append(pageCapture(shell.href, 1_000, '<div id="root"></div><script src=app.js></script>'))
  const said = async (url: Url, wish?: Parameters<typeof explainBrowser>[3]) =>
    explainBrowser(showing(), store, url, wish)
  assert.equal(await said(shell), 'not used: the setting crawl.browser is never')
  assert.equal(await said(shell, rule('never')), 'not used: the rule for the site a.test says never')
  assert.equal(await said(shell, rule('always')), 'would be used: the rule for the site a.test says always')
  assert.equal(
    await said(shell, { use: 'auto', by: 'the crawl of http://a.test/' }),
    'would be used: scripts fill its element root (the crawl of http://a.test/ says auto)',
  )
  assert.equal(await said(unknown, rule('always')), 'would be used: the rule for the site a.test says always')
  assert.equal(
    await said(unknown, rule('auto')),
    'not known: the archive has no version of it that tells (the rule for the site a.test says auto)',
  )
  const lacking = showing('There is no browser on this machine.')
  assert.equal(
    await explainBrowser(lacking, store, unknown, rule('always')),
    'not used: There is no browser on this machine.',
  )
})
