// The search of the site: sections whose title or text has all words, those with a word in the title first. index.js has the
// sections as [address, page, title, text]; it is loaded with the first key, and by an address that ends in ?q=WORDS.
'use strict';
(function () {
    const box = document.getElementById('search'), results = document.getElementById('results');
    const root = document.documentElement.dataset.root;
    const MOST = 20, AROUND = 60;

    function found(words) {
        const hits = [];
        for (const section of window.SECTIONS) {
            const title = (section[1] + ' ' + section[2]).toLowerCase(), text = section[3].toLowerCase();
            if (!words.every(word => title.includes(word) || text.includes(word))) { continue; }
            hits.push([words.filter(word => title.includes(word)).length, section]);
        }
        return hits.sort((a, b) => b[0] - a[0]).slice(0, MOST).map(hit => hit[1]);
    }
    function excerpt(text, word) {
        const at = Math.max(0, text.toLowerCase().indexOf(word));
        return (at > AROUND ? '…' : '') + text.slice(Math.max(0, at - AROUND), at + AROUND) + '…';
    }
    function show() {
        const words = box.value.toLowerCase().split(/\s+/).filter(word => word.length > 1);
        results.replaceChildren();
        if (words.length === 0) { return; }
        const sections = found(words);
        for (const [address, page, title, text] of sections) {
            const link = document.createElement('a'), line = document.createElement('p');
            link.href = root + address;
            link.textContent = title === page ? page : page + ': ' + title;
            line.append(link, document.createElement('br'), excerpt(text, words[0]));
            results.append(line);
        }
        if (sections.length === 0) { results.textContent = 'No section has all of these words.'; }
    }
    function search() {
        if (window.SECTIONS) { show(); return; }
        const script = document.createElement('script');
        script.src = root + 'index.js';
        script.onload = show;
        document.head.append(script);
    }
    box.addEventListener('input', search);
    const query = new URLSearchParams(location.search).get('q');
    if (query) {
        box.value = query;
        search();
    }
})();
