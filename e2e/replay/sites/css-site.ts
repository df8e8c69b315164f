// Style sheets: every way in which they name something else.

import { css, picture, shared, signFont, tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'

export const cssPages = ['museum/css/']

export function cssSite(origin: OriginOf): Answers {
  const cdn = origin('cdn')
  return {
    'museum/css/': tiles({
      title: 'Style sheets',
      head: `<link rel="stylesheet" href="main.css"><link rel="stylesheet" media="print" href="print.css">
        <style>@import "inline-import.css"; #inline { background-image: url(/colour/41.png) }
        #custom { --picture: url(/colour/42.png); background-image: var(--picture) }</style>`,
      tiles: {
        linked: '',
        bare: '',
        single: '',
        escaped: '',
        imported: '',
        'imported-twice': '',
        'imported-media': '',
        'imported-inline': '',
        'imported-other': '',
        inline: '',
        custom: '',
        'custom-sheet': '',
        'image-set': '',
        multiple: '',
        content: '',
        list: '<ul><li>&nbsp;</ul>',
        border: '<p></p>',
        mask: '',
        font: '<b>&#xea60;</b>',
        'font-other': '<b>&#xea60;</b>',
        supports: '',
        commented: '',
        fragment: '',
        upper: '',
        'rule-made': '',
        'style-made': '',
        'sheet-made': '',
        'element-made': '',
        'link-made': '',
        'attribute-made': '',
        'read-back': '',
      },
      script: `
        document.styleSheets[0].insertRule('#rule-made { background-image: url(/colour/43.png) }', 0)
        document.getElementById('style-made').style.backgroundImage = 'url(/colour/44.png)'
        document.getElementById('attribute-made').setAttribute('style', 'background-image: url(/colour/45.png)')
        var sheet = new CSSStyleSheet()
        sheet.replaceSync('#sheet-made { background-image: url(/colour/46.png) }')
        document.adoptedStyleSheets = [sheet]
        var element = document.createElement('style')
        element.textContent = '#element-made { background-image: url(/colour/47.png) }'
        document.head.appendChild(element)
        tile('link-made', function () {
          var link = document.createElement('link')
          link.rel = 'stylesheet'
          link.href = '/css/made.css'
          var loaded = when(link, 'load')
          document.head.appendChild(link)
          return loaded
        })
        tile('read-back', function () {
          return fetch('/css/main.css').then(function (answer) { return answer.text() }).then(function (text) {
            return text.indexOf('#linked') >= 0
          })
        })
        tile('font', function () { return document.fonts.load('20px Signs').then(function (found) { return found.length === 1 }) })
        tile('font-other', function () {
          return document.fonts.load('20px OtherSigns').then(function (found) { return found.length === 1 })
        })`,
    }),
    'museum/css/main.css': css(`@charset "utf-8";
      @import url("imported.css");
      @import 'print.css' print;
      @import url(media.css) screen and (min-width: 10px);
      @import url(${cdn}/other.css);
      @font-face { font-family: Signs; src: local("no such font"), url(none.eot?#iefix) format("embedded-opentype"), url('signs.ttf') format("truetype") }
      @font-face { font-family: OtherSigns; src: url("${cdn}/signs.ttf") }
      #linked { background-image: url("../colour/48.png") }
      #bare { background-image: url(../colour/49.png) }
      #single { background-image: url( '../colour/50.png' ) }
      #escaped { background-image: url(../escaped\\(1\\).png) }
      #custom-sheet { --picture: url(below/custom.png); background-image: var(--picture) }
      #image-set { background-image: image-set("../colour/51.png" 1x, url(../none.png) 2x) }
      #multiple { background: url(/colour/52.png) no-repeat 0 0 / 20px 20px, url(/colour/53.png) }
      #content::before { content: url(/colour/54.png) }
      #list ul { list-style: url(/colour/55.png); margin: 0; padding-left: 40px }
      #border p { margin: 0; width: 26px; height: 26px; border: 10px solid; border-image: url(/colour/56.png) 10 }
      #mask { background-color: #653; mask-image: linear-gradient(#000, #000), url(/colour/57.png); mask-size: 20px 46px, 10px 10px }
      #font b { font: 40px/46px Signs }
      #font-other b { font: 40px/46px OtherSigns }
      @supports (display: grid) { @media screen { #supports { background-image: url(/colour/58.png) } } }
      #commented { background-image: /* url(/none.png) */ url(/colour/59.png) /* } */ }
      #fragment { background-image: url(/css/sprites.svg#second) }
      #upper { BACKGROUND-IMAGE: URL(/colour/60.png) }
    `),
    'museum/css/imported.css': css(
      '@import "below/twice.css"; #imported { background-image: url(/colour/61.png) }',
    ),
    'museum/css/below/twice.css': css('#imported-twice { background-image: url(twice.png) }'),
    'museum/css/below/twice.png': picture('#123456'),
    'museum/css/below/custom.png': picture('#654321'),
    'museum/css/media.css': css('#imported-media { background-image: url(/colour/62.png) }'),
    'museum/css/print.css': css('.tile { display: none }'),
    'museum/css/inline-import.css': css('#imported-inline { background-image: url(/colour/63.png) }'),
    'museum/css/made.css': css('#link-made { background-image: url(/colour/64.png) }'),
    'museum/css/sprites.svg': {
      headers: { 'Content-Type': 'image/svg+xml' },
      body: `<svg xmlns="http://www.w3.org/2000/svg" width="46" height="46"><view id="first" viewBox="0 0 46 46"/>
        <view id="second" viewBox="46 0 46 46"/><rect width="46" height="46" fill="#f00"/>
        <rect x="46" width="46" height="46" fill="#00c"/></svg>`,
    },
    'museum/css/signs.ttf': { headers: { 'Content-Type': 'font/ttf' }, body: signFont() },
    'museum/escaped(1).png': picture('#998811'),
    'cdn/other.css': css('#imported-other { background-image: url(colour/65.png) }', shared),
    'cdn/signs.ttf': { headers: { 'Content-Type': 'font/ttf', ...shared }, body: signFont() },
  }
}
