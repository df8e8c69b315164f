# Scrapy as fast as its settings allow: no delay, no limit per host, nothing logged, links from pages only.
import scrapy


class Spider(scrapy.Spider):
    name = "generated"
    custom_settings = {
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False,
        "DEPTH_PRIORITY": 1,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        for link in response.css("a::attr(href), img::attr(src)").getall():
            yield response.follow(link, self.parse)
