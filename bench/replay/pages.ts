// Pages to replay: 15 kB each, with what pages have that is rewritten: 70 links and images, a style sheet, an inline script,
// a handler. The same on every run.

import { pageText } from '../store/page.ts'

export const pageBytes = 15_000

const head = `<link rel="stylesheet" href="/style/main.css"><script src="/script/main.js" defer></script>
<script>window.dataLayer = window.dataLayer || []; function track() { dataLayer.push(arguments) }
if (location.hash === '#top') document.documentElement.className += ' at-top'</script>
<style>.logo { background: url(/img/logo.png) no-repeat }</style>`

export function replayPage(number: number): Buffer {
  const text = pageText(number, pageBytes - head.length)
  return Buffer.from(
    text.replace('</head>', `${head}</head>`).replace('<body>', '<body onload="track(location.href)">'),
  )
}
