// SVG and XML, as parts of pages and as documents of their own.

import { json, svg, tiles, xml } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { tileScript, tileStyle } from '../tile-page.ts'

export const drawingPages = [
  'museum/svg/',
  'museum/svg/document.svg',
  'museum/svg/page.xhtml',
  'museum/svg/styled.xml',
  'museum/svg/data.json',
  'museum/svg/text.txt',
]

const names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'

export function drawingSite(origin: OriginOf): Answers {
  const cdn = origin('cdn')
  return {
    'museum/svg/': tiles({
      title: 'Drawings',
      tiles: {
        'inline-image':
          '<svg viewBox="0 0 46 46"><image width="46" height="46" href="/colour/101.png"/></svg>',
        'inline-old': `<svg viewBox="0 0 46 46"><image width="46" height="46" xlink:href="${cdn}/colour/102.png"/></svg>`,
        'use-own':
          '<svg viewBox="0 0 46 46"><defs><rect id="square" width="46" height="46" fill="#505"/></defs><use href="#square"/></svg>',
        'use-other': '<svg viewBox="0 0 46 46"><use href="sprites.svg#square"/></svg>',
        gradient:
          '<svg viewBox="0 0 46 46"><linearGradient id="slope"><stop offset="0" stop-color="#055"/></linearGradient><rect width="46" height="46" fill="url(#slope)"/></svg>',
        'style-inside':
          '<svg viewBox="0 0 46 46"><style>.inside { fill: #550 }</style><rect class="inside" width="46" height="46"/></svg>',
        'as-image': '<img src="image.svg" alt="">',
        'as-frame': '<iframe src="frame.svg" scrolling="no"></iframe>',
        'as-object': '<object data="frame.svg" type="image/svg+xml"></object>',
        'as-background': '<p style="margin:0;height:46px;background:url(image.svg)"></p>',
        'foreign-object':
          '<svg viewBox="0 0 46 46"><foreignObject width="46" height="46"><img xmlns="http://www.w3.org/1999/xhtml" src="/colour/103.png" alt=""/></foreignObject></svg>',
        made: '',
        'xml-read': '',
      },
      script: `
        tile('made', function () {
          var drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
          var image = document.createElementNS('http://www.w3.org/2000/svg', 'image')
          drawing.setAttribute('viewBox', '0 0 46 46')
          image.setAttribute('width', 46)
          image.setAttribute('height', 46)
          image.setAttributeNS('http://www.w3.org/1999/xlink', 'xlink:href', '/colour/104.png')
          drawing.appendChild(image)
          document.getElementById('made').appendChild(drawing)
          return when(image, 'load')
        })
        tile('xml-read', function () {
          var request = new XMLHttpRequest()
          request.open('GET', 'feed.xml', false)
          request.send()
          return request.responseXML.querySelector('link').textContent === '/svg/' || request.responseText
        })`,
    }),
    'museum/svg/sprites.svg': svg(
      `<svg ${names}><symbol id="square" viewBox="0 0 46 46"><rect width="46" height="46" fill="#077"/></symbol></svg>`,
    ),
    'museum/svg/image.svg': svg(
      `<svg ${names} width="46" height="46"><style><![CDATA[ rect { fill: #770 } ]]></style><rect width="46" height="46"/></svg>`,
    ),
    'museum/svg/frame.svg': svg(
      `<?xml version="1.0"?><svg ${names} viewBox="0 0 46 46"><image width="46" height="46" xlink:href="../colour/105.png"/></svg>`,
    ),
    'museum/svg/document.svg': svg(`<?xml version="1.0" encoding="utf-8"?>
      <?xml-stylesheet type="text/css" href="document.css"?>
      <svg ${names} width="640" height="480" data-settled="yes"><style>@import url(more.css); .b { fill: #088 }</style>
      <rect class="a" width="100" height="100"/><rect class="b" x="110" width="100" height="100"/>
      <rect class="c" x="220" width="100" height="100"/>
      <image x="330" width="100" height="100" xlink:href="/colour/106.png"/>
      <a xlink:href="/svg/"><text x="10" y="140">a link &amp; text</text></a>
      <rect id="scripted" y="200" width="100" height="100" fill="#ccc"/><rect id="scripted-other" x="110" y="200" width="100" height="100" fill="#ccc"/>
      <script><![CDATA[ if (location.pathname === '/svg/document.svg' && 1 < 2) document.getElementById('scripted').setAttribute('fill', '#880') ]]></script>
      <script xlink:href="document.js"/></svg>`),
    'museum/svg/document.css': { headers: { 'Content-Type': 'text/css' }, body: '.a { fill: #808 }' },
    'museum/svg/more.css': { headers: { 'Content-Type': 'text/css' }, body: '.c { fill: #484 }' },
    'museum/svg/document.js': {
      headers: { 'Content-Type': 'text/javascript' },
      body: "document.getElementById('scripted-other').setAttribute('fill', '#448')",
    },
    'museum/svg/page.xhtml': {
      headers: { 'Content-Type': 'application/xhtml+xml' },
      body: `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>
      <html xmlns="http://www.w3.org/1999/xhtml"><head><title>XHTML</title><style><![CDATA[${tileStyle}]]></style>
      <script>//<![CDATA[
      ${tileScript}
      //]]></script><link rel="stylesheet" href="/svg/xhtml.css"/></head>
      <body><div class="tile" id="x-image"><img src="/colour/107.png" alt=""/></div><div class="tile" id="x-style"/>
      <div class="tile" id="x-script"/><script>tile('x-script', function () { return location.pathname === '/svg/page.xhtml' &amp;&amp; 1 &lt; 2 })</script>
      </body></html>`,
    },
    'museum/svg/xhtml.css': {
      headers: { 'Content-Type': 'text/css' },
      body: '#x-style { background: #a50 }',
    },
    'museum/svg/styled.xml':
      xml(`<?xml version="1.0" encoding="utf-8"?><?xml-stylesheet href="styled.css" type="text/css"?>
      <list data-settled="yes"><entry>one</entry><entry href="/colour/1.png">two</entry></list>`),
    'museum/svg/styled.css': {
      headers: { 'Content-Type': 'text/css' },
      body: 'list { display: block; background: #dde } entry { display: block; padding: 10px; background: url(/colour/108.png) repeat-y 100px 0 }',
    },
    'museum/svg/feed.xml': xml('<rss><channel><link>/svg/</link></channel></rss>'),
    'museum/svg/data.json': json('{"list": [1, 2, 3], "url": "http://museum.localhost/"}'),
    'museum/svg/text.txt': {
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      body: 'Plain — text <b>not bold</b> http://museum.localhost/\n',
    },
  }
}
