// HTML: every way in which markup names something else.

import { createHash } from 'node:crypto'
import { css, html, picture, script, shared, svg, tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { tile, tileScript, tileStyle } from '../tile-page.ts'

export const htmlPages = [
  'museum/html/',
  'museum/html/base/page',
  'museum/html/frames',
  'museum/html/policy-header',
  'museum/html/policy-meta',
  'museum/html/integrity',
  'museum/html/old-markup',
]

const digest = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`
const signed = 'self.wasSigned = true'
const signedStyle = '#signed-style { background-color: #204080 }'

export function htmlSite(origin: OriginOf): Answers {
  const cdn = origin('cdn')
  const [, , cdnHost] = cdn.split('/')
  return {
    'museum/html/': tiles({
      title: 'Images and frames',
      head: `<style>#style-block { background-image: url("../colour/3.png") }</style>
        <link rel="icon" href="/colour/4.png"><link rel="manifest" href="/html/app.webmanifest">`,
      tiles: {
        image: '<img src="/colour/1.png" alt="">',
        relative: '<img src="../colour/2.png" alt="">',
        'other-host': `<img src="${cdn}/colour/5.png" alt="">`,
        'no-scheme': `<img src="//${cdnHost}/colour/6.png" alt="">`,
        unquoted: '<IMG SRC=/colour/7.png ALT=x>',
        entities: '<img src="/query.png?a=1&amp;b=2" alt="">',
        spaces: '<img src="\n  /colour/8.png  " alt="">',
        srcset: '<img srcset="/colour/9.png 1x, /colour/10.png 2x" alt="">',
        'srcset-widths':
          '<img srcset="/colour/11.png 40w, /colour/12.png 4000w" sizes="40px" src="/none.png" alt="">',
        'srcset-commas': '<img srcset="/comma,in,path.png 1x,/colour/13.png 3x" alt="">',
        picture:
          '<picture><source media="(min-width: 9999px)" srcset="/none.png"><source type="image/none" srcset="/none.png"><source media="(min-width: 10px)" srcset="/colour/14.png"><img src="/none.png" alt=""></picture>',
        lazy: '<img loading="lazy" src="/colour/15.png" alt="">',
        crossorigin: `<img crossorigin="anonymous" src="${cdn}/colour/16.png" alt="">`,
        data: `<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='46' height='46'%3E%3Crect width='46' height='46' fill='%23a0522d'/%3E%3C/svg%3E" alt="">`,
        input: '<input type="image" src="/colour/17.png" alt="">',
        poster: '<video poster="/colour/18.png"></video>',
        'style-attribute': '<p style="margin:0;height:46px;background:url(\'/colour/19.png\')"></p>',
        'style-entities': '<p style="margin:0;height:46px;background:url(&quot;/colour/20.png&quot;)"></p>',
        'style-block': '',
        background: '<table background="/colour/21.png" width="46" height="46"><tr><td></table>',
        frame: '<iframe src="/html/framed" scrolling="no"></iframe>',
        'frame-nested': '<iframe src="/html/nested-1" scrolling="no"></iframe>',
        'frame-other-host': `<iframe src="${cdn}/framed" scrolling="no"></iframe>`,
        'frame-text':
          '<iframe scrolling="no" srcdoc="&lt;body style=&quot;margin:0&quot;&gt;&lt;img src=&quot;/colour/22.png&quot;&gt;"></iframe>',
        'frame-sandboxed': '<iframe sandbox src="/html/framed" scrolling="no"></iframe>',
        object: '<object data="/colour/23.png" type="image/png"></object>',
        'object-svg': '<object data="/html/drawing.svg" type="image/svg+xml"></object>',
        embed: '<embed src="/html/drawing.svg" type="image/svg+xml">',
        'object-fallback':
          '<object data="/missing" type="image/png"><img src="/colour/24.png" alt=""></object>',
        'conditional-comment':
          '<!--[if IE]><img src="/none.png"><![endif]--><![if !IE]><img src="/colour/25.png" alt=""><![endif]>',
        noscript: '<noscript>wrong</noscript><img src="/colour/26.png" alt="">',
        template: '<template id="stamp"><img src="/colour/27.png" alt=""></template>',
        'link-made': '',
        video:
          '<video muted><source src="/none.webm" type="video/none"></video><img style="position:absolute;top:0" src="/colour/28.png" alt="">',
      },
      script: `
        var stamp = document.getElementById('stamp')
        stamp.parentNode.appendChild(stamp.content.cloneNode(true))
        tile('link-made', function () {
          var link = document.createElement('a')
          link.href = 'deep/er'
          return link.pathname === '/html/deep/er' || link.pathname
        })`,
    }),
    'museum/html/framed': html('<!doctype html><body style="margin:0"><img src="/colour/29.png" alt="">'),
    'museum/html/nested-1': html(
      '<!doctype html><body style="margin:0"><iframe src="nested-2" scrolling="no" style="border:0;width:46px;height:46px"></iframe>',
    ),
    'museum/html/nested-2': html(
      '<!doctype html><body style="margin:0"><iframe src="./framed" scrolling="no" style="border:0;width:46px;height:46px"></iframe>',
    ),
    'cdn/framed': html('<!doctype html><body style="margin:0"><img src="/colour/30.png" alt="">'),
    'museum/html/drawing.svg': svg(
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 46 46"><image width="46" height="46" xlink:href="/colour/31.png"/></svg>',
    ),
    'museum/html/app.webmanifest': {
      headers: { 'Content-Type': 'application/manifest+json' },
      body: JSON.stringify({ name: 'Museum', start_url: '/html/', icons: [{ src: '/colour/4.png' }] }),
    },
    'museum/html/base/page': tiles({
      title: 'Base',
      head: `<base href="${cdn}/base/below/">`,
      tiles: {
        'base-image': '<img src="a.png" alt="">',
        'base-up': '<img src="../b.png" alt="">',
        'base-root': '<img src="/colour/32.png" alt="">',
        'base-script': '',
        'base-address': '',
        'base-made': '',
      },
      script: `
        tile('base-address', function () { return document.baseURI === '${cdn}/base/below/' || document.baseURI })
        tile('base-made', function () {
          var image = new Image()
          image.src = 'a.png'
          document.getElementById('base-made').appendChild(image)
          return when(image, 'load')
        })
        tile('base-script', function () {
          return new Promise(function (resolve) { self.fromBase = resolve })
        })`,
      after: '<script src="script.js"></script>',
    }),
    'cdn/base/below/a.png': picture('#7a1f5c'),
    'cdn/base/b.png': picture('#1f7a5c'),
    'cdn/base/below/script.js': script('fromBase(true)'),
    'museum/html/frames': html(`<!doctype html><html data-settled="yes"><head><title>Frames</title></head>
      <frameset cols="50%,50%" border="0" frameborder="0"><frame src="framed" scrolling="no">
      <frameset rows="50%,*"><frame src="/html/nested-1" scrolling="no"><frame src="${cdn}/framed" scrolling="no"></frameset>
      <noframes>none</noframes></frameset></html>`),
    'museum/html/policy-header': html(
      `<!doctype html><html><head><meta charset="utf-8"><title>Policy</title>
        <style nonce="abc">${tileStyle}</style><script nonce="abc">${tileScript}</script></head><body>
        ${tile('allowed-image', '<img src="/colour/33.png" alt="">')}${tile('allowed-script', '')}
        <script nonce="abc">tile('allowed-script', function () { return true })</script></body></html>`,
      {
        'Content-Security-Policy':
          "default-src 'none'; img-src 'self'; style-src 'nonce-abc'; script-src 'nonce-abc'; frame-ancestors 'none'; upgrade-insecure-requests",
        'X-Frame-Options': 'DENY',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
        'Strict-Transport-Security': 'max-age=31536000',
        'Set-Cookie': 'visited=yes; Path=/',
        'Clear-Site-Data': '"storage"',
      },
    ),
    'museum/html/policy-meta': html(`<!doctype html><html><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'self' ${cdn}; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'self'">
      <meta http-equiv="X-UA-Compatible" content="IE=edge"><title>Policy</title>
      <style>${tileStyle}</style><script>${tileScript}</script></head><body>
      ${tile('meta-image', `<img src="${cdn}/colour/34.png" alt="">`)}${tile('meta-script', '')}
      <script>tile('meta-script', function () { return when(self, 'load').then(function () { return self.wasSigned }) })</script>
      <script src="/html/signed.js"></script></body></html>`),
    'museum/html/integrity': tiles({
      title: 'Integrity',
      head: `<link rel="stylesheet" href="${cdn}/signed.css" integrity="${digest(signedStyle)}" crossorigin="anonymous">
        <link rel="preload" as="script" href="/html/signed.js" integrity="${digest(signed)}">
        <script src="/html/signed.js" integrity="${digest(signed)}"></script>`,
      tiles: { 'signed-style': '', 'signed-script': '', 'signed-fetch': '' },
      script: `
        tile('signed-script', function () { return self.wasSigned })
        tile('signed-fetch', function () {
          return fetch('/html/signed.js', { integrity: '${digest(signed)}' }).then(function (answer) { return answer.ok })
        })`,
    }),
    'museum/html/signed.js': script(signed),
    'cdn/signed.css': css(signedStyle, shared),
    'museum/html/old-markup': html(
      `<HTML><HEAD><TITLE>Old</TITLE></HEAD><BODY BACKGROUND="/colour/35.png" TEXT=#000080>
      <CENTER><FONT SIZE=5>Under construction<BR><IMG SRC='/colour/36.png' BORDER=0 ALT=' a > b '>
      <P>unclosed <A HREF=framed>link <TABLE><TR><TD BACKGROUND=/colour/37.png WIDTH=60 HEIGHT=60>cell</TABLE>
      <!-- <IMG SRC="/none.png"> --><SCRIPT LANGUAGE=JavaScript><!--
      document.write('<IMG SRC="/colour/38.png" ALT="">'); document.documentElement.setAttribute('data-settled', 'yes')
      //--></SCRIPT>`,
    ),
    'museum/query.png?a=1&b=2': picture('#406010'),
    'museum/comma,in,path.png': picture('#104060'),
  }
}
