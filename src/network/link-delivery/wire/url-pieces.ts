// What URLs are often made of: the dictionary that every batch is compressed with, so that a small one need not spell it out.
//
// It is part of the protocol: never change it, only add another beside it. zstd reaches the end of a dictionary with the
// shortest distances, so what is most frequent comes last. Gathered by hand, and measured on links that it was not made
// from: bench/results/exchange.md.

const pieces = [
  // Programs and their parameters
  '/cgi-bin/ /servlet/ .aspx?id= .jsp?id= .cgi? /default.aspx /index.jsp /node/ /article.php?id= /story.php?id=',
  '/viewtopic.php?f=1&t= /showthread.php?t= /viewforum.php?f= /member.php?u= &start= /threads/ /forums/ /forum/ /topic/',
  '/w/index.php?title= &oldid= &action=edit /wiki/Special: /wiki/File: /wiki/Category: /wiki/User: /wiki/',
  '?replytocom= ?share=facebook ?p= &page= ?page= &id= ?id= &lang=en &q= /search?q= ?s= &sort= &order=asc &limit= &offset=',
  '&cat= &category= &type= &view= &tab= ?ref= &ref=sr_1_ &color= &size= &v= ?v= ?ver= &amp; %20 %2F %3A %3D %C3%',
  '?utm_source=twitter&utm_medium=social&utm_campaign= ?utm_source=rss&utm_medium=feed ?fbclid= &gclid=',
  '?utm_source=newsletter&utm_medium=email&utm_campaign= &utm_content= &utm_term=',
  // Files
  '.pdf .xml .json .txt .zip .gif .svg .webp .mp4 .css .min.js .js .php .aspx .asp .shtml .htm .jpeg .png .jpg .html\n',
  '/wp-json/ /wp-includes/js/ /wp-content/themes/ /wp-content/plugins/ /wp-content/uploads/2019/01/ /assets/ /static/',
  '/css/ /js/ /fonts/ /img/ /image/ /images/ /photos/ /media/ /files/ /download/ /uploads/ /thumb/ /icons/ /favicon.ico',
  '-150x150.jpg -300x200.jpg -1024x768.jpg _large.jpg @2x.png /logo.png',
  // Paths
  '/login /register /signup /account/ /cart /checkout /contact /about-us /about /privacy-policy /privacy /terms /help',
  '/sitemap.xml /feed/ /rss /comments/ /author/ /authors/ /archive/ /archives/ /category/ /tags/ /tag/ /topics/ /page/2/',
  '/products/ /product/ /collections/ /item/ /items/ /shop/ /store/ /p/ /dp/ /gp/ /c/ /en-us/ /en/ /de/ /fr/ /es/',
  '/politics/ /business/ /sports/ /sport/ /opinion/ /entertainment/ /technology/ /science/ /health/ /world/ /local/',
  '/culture/ /lifestyle/ /travel/ /education/ /events/ /news/ /article/ /articles/ /story/ /stories/ /video/ /videos/',
  '/docs/ /doc/ /api/ /blob/main/README.md /blob/master/ /tree/main/ /issues/ /pull/ /releases/ /wiki/ /package/ /user/',
  '/users/ /profile/ /people/ /posts/ /post/ /status/ /watch?v= /channel/ /playlist?list= /embed/ /blog/ /index.php?id=',
  '/index.php /index.html /2014/ /2016/ /2017/ /2018/ /2020/ /2021/ /2022/ /2023/ /2024/ /2025/ /01/ /02/ /03/ /04/ /05/',
  '/06/ /07/ /08/ /09/ /10/ /11/ /12/ -the- -of- -and- -to- -in- -for- -on- -with- -how-to- -is- -from- -new- -a-',
  // Hosts
  'http://localhost:8080/ http://127.0.0.1/ https://docs. https://support. https://shop. https://news. https://forum.',
  'https://en.wikipedia.org/wiki/ https://commons.wikimedia.org/wiki/File: https://web.archive.org/web/ https://doi.org/10.',
  'https://www.amazon.com/ https://www.linkedin.com/ https://www.instagram.com/ https://www.pinterest.com/pin/create/',
  'https://www.facebook.com/ https://twitter.com/ https://www.youtube.com/watch?v= https://youtu.be/ https://t.co/',
  'https://www.google.com/ https://fonts.googleapis.com/css?family= https://play.google.com/store/apps/details?id=',
  'https://img.shields.io/ https://raw.githubusercontent.com/ https://www.npmjs.com/package/ https://github.com/',
  '.github.io/ .blogspot.com/ .wordpress.com/ .tumblr.com/ .substack.com/ https://medium.com/@ https://m. https://api.',
  'https://cdn. https://static. https://images. https://en. https://blog. .gov/ .edu/ .info/ .co.jp/ .com.au/ .com.br/',
  '.it/ .nl/ .pl/ .ru/ .ch/ .eu/ .jp/ .fr/ .de/ .co.uk/ .io/ .net/ .org/\nhttp://www. .com/\nhttp:// https://www. .com/\nhttps://',
]

export const urlPieces: Uint8Array = Buffer.from(pieces.join(' '))
