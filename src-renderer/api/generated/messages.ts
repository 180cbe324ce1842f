// Generated from resources/languages/en.json: npm run generate
export interface Messages {
  start: {
    notFound: {
      title: string;
      why: string;
      home: string;
      reference: string;
    };
    common: {
      reveal: string;
      chunkKinds: {
        "frame-text": string;
        table: string;
        caption: string;
        comment: string;
      };
      copy: (values: { what: string | number }) => string;
      copied: string;
      copyAll: string;
      wordsCopied: (values: { count: string | number; one: string | boolean }) => string;
      otherForms: string;
      close: string;
      loading: string;
      failed: string;
      unknownError: string;
      unreachable: string;
      tryAgain: string;
      cancel: string;
      save: string;
      undo: string;
      all: string;
      automatic: string;
      add: string;
      edit: string;
      yes: string;
      no: string;
      value: string;
      find: string;
      findIn: (values: { what: string | number }) => string;
      findBefore: string;
      findNext: string;
      notFound: string;
      placeOf: (values: { place: string | number; count: string | number }) => string;
      fileDrop: {
        noFolder: (values: { name: string | number }) => string;
        onlyFirst: (values: { name: string | number; others: number }) => string;
        drop: string;
        dropAbout: string;
        otherFile: string;
      };
      notAccepted: string;
      noServer: string;
      changedFile: (values: { name: string | number }) => string;
      statusOf: (values: { status: string | number }) => string;
      brokenOff: string;
      day: {
        any: string;
        monthBefore: string;
        monthAfter: string;
        yearBefore: string;
        yearAfter: string;
      };
    };
    overview: {
      title: string;
      running: string;
      runs: (values: { count: number; shown: string | number }) => string;
      waits: (values: { count: string | number }) => string;
      activity: {
        title: string;
        range: string;
        ranges: {
          day: string;
          month: string;
        };
        jobsIn: {
          day: (values: { count: number }) => string;
          month: (values: { count: number }) => string;
        };
        jobsBy: {
          day: string;
          month: string;
        };
        top: {
          day: (values: { most: string | number }) => string;
          month: (values: { most: string | number }) => string;
        };
        failed: (values: { count: string | number }) => string;
        failedOnes: string;
        noneFailed: string;
        earnedIn: {
          day: string;
          month: string;
        };
        earnedBy: {
          day: {
            play: string;
            real: string;
          };
          month: {
            play: string;
            real: string;
          };
        };
        playMoney: string;
        realMoney: string;
      };
      recent: string;
      nothingRuns: string;
      needsYou: string;
      needYou: (values: { count: number }) => string;
      nothingNeedsYou: string;
      moreNeeds: (values: { count: number }) => string;
      cleared: (values: { count: number }) => string;
      installing: string;
      openEndpoint: string;
      openSettings: string;
      show: string;
      allJobs: string;
      machine: string;
      version: string;
      uptime: string;
      memory: string;
      disk: string;
      diskOf: (values: { free: string | number; total: string | number }) => string;
      threads: string;
      pool: (values: { busy: number; threads: number; waiting: number }) => string;
      limits: string;
      limitsWhy: string;
      noCallers: string;
      perMinute: (values: { used: string | number; limit: string | number }) => string;
      checkNames: {
        database: string;
        disk: string;
        settlement: string;
      };
      fine: string;
      unknown: string;
      drop: {
        title: string;
        about: string;
      };
      first: {
        about: string;
        drop: string;
        dropMore: string;
        try: string;
        examples: {
          read: {
            title: string;
            about: string;
            run: string;
          };
          speak: {
            title: string;
            about: string;
            run: string;
          };
          compose: {
            title: string;
            about: string;
            run: string;
          };
        };
        spoken: string;
        composed: string;
        exampleGone: string;
        works: string;
        always: string;
        asks: (values: { size: string | number }) => string;
        asksFor: (values: { what: string | number }) => string;
        install: string;
        installFor: (values: { work: string | number }) => string;
        how: string;
        others: string;
        prices: string;
      };
      downloading: (values: { got: string | number; all: string | number }) => string;
      installModel: string;
    };
    shell: {
      skip: string;
      pages: string;
      more: string;
      find: string;
      findHere: string;
      pageFailure: string;
      service: string;
      names: {
        home: string;
        library: string;
        activity: string;
        jobs: string;
        api: string;
        make: string;
        add: string;
        webhooks: string;
        payments: string;
        limits: string;
        models: string;
        search: string;
        contributions: string;
        settings: string;
        watches: string;
      };
      alerts: (values: { count: number }) => string;
      running: (values: { count: string | number }) => string;
      failing: (values: { count: string | number }) => string;
      waiting: (values: { count: string | number }) => string;
      live: string;
      where: string;
      liveAbout: string;
      paused: string;
      pausedAbout: string;
      sandbox: string;
      sandboxAbout: string;
      environment: (values: { name: string | number }) => string;
      environments: {
        production: string;
        staging: string;
      };
      keys: string;
      signOutDevice: string;
      schemes: {
        auto: string;
        light: string;
        dark: string;
      };
      scheme: (values: { now: string | number; next: string | number }) => string;
      phone: string;
    };
    money: {
      test: string;
      asset: string;
      sandbox: string;
      play: string;
      noIncome: string;
      takeReal: string;
    };
    entryStates: {
      waiting: string;
      processing: string;
      completed: string;
      failed: string;
      skipped: string;
      cancelled: string;
    };
    madeByKey: {
      by: (values: { key: string | number }) => string;
      ended: string;
      takeOver: string;
    };
    notLinked: {
      title: string;
      why: string;
      how: string;
      owners: string;
      ownersHow: string;
    };
    unsaved: {
      title: string;
      about: string;
      leave: string;
      stay: string;
    };
    signIn: {
      title: string;
      why: string;
      browser: string;
      browserHow: string;
      lost: string;
      again: string;
    };
    add: {
      title: string;
      how: string;
      paste: string;
      take: string;
      files: string;
      record: string;
      stopRecord: (values: { time: string | number }) => string;
      noMicrophone: string;
      recording: (values: { day: string | number }) => string;
      pasted: string;
      remove: (values: { name: string | number }) => string;
      nothing: string;
      kinds: {
        talk: string;
        hosted: string;
        document: string;
        site: string;
      };
      care: string;
      careHere: string;
      careAuto: {
        name: string;
        about: string;
      };
      careQuick: string;
      careBest: string;
      find: string;
      speakers: string;
      speakersAbout: string;
      slides: string;
      slidesAbout: string;
      english: string;
      englishAbout: string;
      captions: string;
      captionsAbout: string;
      names: string;
      namesHint: string;
      subtitles: string;
      subtitlesOf: {
        standard: string;
        youtube: string;
        netflix: string;
        "netflix-children": string;
      };
      comments: string;
      commentsAbout: string;
      reach: string;
      reaches: {
        page: {
          name: string;
          about: string;
        };
        links: {
          name: string;
          about: string;
        };
        site: {
          name: string;
          about: string;
        };
      };
      scripts: string;
      scriptsAbout: string;
      files2: string;
      files2About: string;
      language: string;
      always: string;
      stays: string;
      open: string;
      another: (values: { name: string | number }) => string;
      gone: string;
      pauseRecord: string;
      goOnRecord: string;
      level: string;
      unplugged: string;
      unfinished: (values: { day: string | number }) => string;
      takeUnfinished: string;
      dropUnfinished: string;
      channels: string;
      channelsAbout: string;
      into: string;
      intoNone: string;
      tags: string;
      tagsHint: string;
      listen: string;
      dictate: {
        stop: string;
        live: string;
        waiting: string;
        hearing: string;
        copied: string;
        nothing: string;
      };
    };
    home: {
      find: string;
      more: (values: { count: number }) => string;
      continue: string;
      left: (values: { time: string | number }) => string;
      days: {
        today: string;
        yesterday: string;
        week: string;
        before: string;
      };
      states: {
        reading: string;
        failed: string;
      };
      library: string;
      page: (values: { page: number }) => string;
      pageOf: (values: { page: number; pages: number }) => string;
      ask: string;
    };
    jobs: {
      title: string;
      statuses: {
        queued: string;
        processing: string;
        completed: string;
        failed: string;
      };
      cancelled: string;
      waits: string;
      status: string;
      type: string;
      anyType: string;
      newestFirst: string;
      oldestFirst: string;
      free: string;
      notCharged: string;
      dates: {
        title: string;
        any: string;
        today: string;
        week: string;
        month: string;
        between: string;
        from: string;
        to: string;
      };
      tags: {
        title: string;
        filter: string;
        any: string;
        others: (values: { tag: string | number }) => string;
        wrong: string;
      };
      metadata: string;
      search: string;
      searchHint: string;
      views: {
        title: string;
        none: string;
        keep: string;
        name: string;
        forget: (values: { name: string | number }) => string;
      };
      columns: {
        job: string;
        type: string;
        status: string;
        took: string;
        account: string;
        cost: string;
        age: string;
        created: string;
      };
      waitsForThread: string;
      downloaded: (values: { percent: string | number }) => string;
      needs: {
        speech: string;
        speakers: string;
        text: string;
        voice: string;
        soundfont: string;
        embedding: string;
        "ocr-language": string;
        ffmpeg: string;
        "yt-dlp": string;
        "whisper-cli": string;
        browser: string;
      };
      you: string;
      add: string;
      counts: {
        running: (values: { count: string | number }) => string;
        queued: (values: { count: string | number }) => string;
      };
      keys: {
        next: string;
        previous: string;
        open: string;
        select: string;
      };
      none: string;
      noneFiltered: string;
      noneAtAll: string;
      clear: string;
      list: string;
      count: (values: { more: string | boolean; shown: number }) => string;
      choose: string;
      select: (values: { name: string | number }) => string;
      selectAll: string;
      selected: (values: { count: string | number }) => string;
      gathering: (values: { count: string | number }) => string;
      ceiling: (values: { count: string | number }) => string;
      drop: string;
      bulk: {
        retry: {
          confirm: (values: { count: string | number }) => string;
          about: string;
          button: (values: { count: number }) => string;
        };
        cancel: {
          confirm: (values: { count: string | number }) => string;
          about: string;
          button: (values: { count: number }) => string;
        };
        remove: {
          confirm: (values: { count: string | number }) => string;
          about: string;
          button: (values: { count: number }) => string;
        };
      };
      andMore: (values: { names: string | number; more: string | number }) => string;
      keep: string;
      working: (values: { done: string | number; all: string | number }) => string;
      stopWorking: string;
      bulkDone: (values: { count: number }) => string;
      bulkPartly: (values: { count: string | number; failed: string | number }) => string;
      bulkStopped: (values: { count: string | number; left: string | number }) => string;
      remaining: (values: { time: string | number }) => string;
      id: string;
      facts: {
        account: string;
      };
      page: (values: { page: number }) => string;
      waitsFor: (values: { title: string | number }) => string;
      waitsForSome: (values: { title: string | number; facts: string | number }) => string;
    };
    library: {
      title: string;
      add: string;
      itemsOf: (values: { count: number; all: number }) => string;
      find: string;
      filters: string;
      closeFilters: string;
      filterNames: {
        kind: string;
        tag: string;
        collection: string;
        language: string;
        speaker: string;
        source: string;
        text: string;
        state: string;
        from: string;
        to: string;
      };
      facets: {
        kinds: string;
        tags: string;
        collections: string;
        languages: string;
        speakers: string;
        sources: string;
        added: string;
      };
      more: (values: { count: number }) => string;
      less: string;
      states: {
        reading: string;
        ready: string;
        failed: string;
      };
      drop: (values: { filter: string | number }) => string;
      clear: string;
      clearAll: string;
      dates: {
        any: string;
        today: string;
        week: string;
        month: string;
        year: string;
        own: string;
      };
      since: (values: { day: string | number }) => string;
      dateFilter: string;
      view: string;
      grid: string;
      list: string;
      save: string;
      saveName: string;
      saveAbout: string;
      saved: (values: { name: string | number }) => string;
      today: string;
      yesterday: string;
      timeline: string;
      listName: string;
      columns: {
        choose: string;
        title: string;
        length: string;
        tags: string;
        source: string;
        added: string;
        collection: string;
        kind: string;
        language: string;
        speakers: string;
        size: string;
        menu: string;
        usual: string;
      };
      choose: (values: { title: string | number }) => string;
      chooseAll: string;
      notes: (values: { count: number }) => string;
      versions: (values: { count: number }) => string;
      pages: (values: { count: number }) => string;
      words: (values: { count: number }) => string;
      made: string;
      empty: {
        title: string;
        about: string;
      };
      none: {
        title: string;
        about: (values: { filters: string | number }) => string;
        without: (values: { filter: string | number }) => string;
      };
      deleted: {
        title: string;
        open: string;
        about: string;
        none: string;
        back: string;
        backAbout: (values: { count: number }) => string;
        now: string;
        nowTitle: (values: { count: number }) => string;
        nowAbout: string;
        empty: string;
        gone: (values: { count: number }) => string;
        column: string;
        left: (values: { days: number }) => string;
      };
      bulk: {
        title: string;
        chosen: (values: { count: number }) => string;
        tag: string;
        collect: string;
        export: string;
        remove: string;
        compare: string;
        clear: string;
        removed: (values: { count: number }) => string;
        gathering: string;
        most: (values: { count: number }) => string;
        listen: string;
        listenNone: string;
      };
      pick: {
        tags: (values: { count: number }) => string;
        collections: (values: { count: number }) => string;
        newTag: (values: { name: string | number }) => string;
        newCollection: (values: { name: string | number }) => string;
        find: {
          tags: string;
          collections: string;
        };
        here: string;
        tagged: (values: { tag: string | number }) => string;
        untagged: (values: { tag: string | number }) => string;
        collected: (values: { name: string | number }) => string;
        uncollected: (values: { name: string | number }) => string;
        onAll: string;
        on: (values: { count: number; all: number }) => string;
      };
      exporting: {
        title: (values: { count: number }) => string;
        way: string;
        ways: {
          zip: {
            name: string;
            about: string;
          };
          markdown: {
            name: string;
            about: string;
          };
          epub: {
            name: string;
            about: string;
          };
          folder: {
            name: string;
            about: string;
          };
        };
        go: string;
        preview: string;
        rest: (values: { count: number }) => string;
        leftOut: (values: { count: number }) => string;
        done: (values: { name: string | number }) => string;
        parts: string;
        partNames: {
          markdown: string;
          plain: string;
          subtitles: string;
          notes: string;
          pictures: string;
          sounds: string;
          data: string;
          others: string;
          originals: string;
        };
        folder: string;
        folderHint: string;
        folderAbout: string;
        folderOfAll: string;
        folderOf: (values: { filter: string | number }) => string;
        start: string;
        started: (values: { path: string | number }) => string;
        needsPart: string;
      };
      rename: {
        title: string;
        label: string;
        save: string;
        found: string;
        keep: string;
      };
      keys: {
        next: string;
        previous: string;
        open: string;
        select: string;
        all: string;
        tag: string;
        collect: string;
        export: string;
        rename: string;
        remove: string;
        filters: string;
        clear: string;
        right: string;
        left: string;
        selectDown: string;
        selectUp: string;
        listen: string;
      };
      items: (values: { count: number }) => string;
      minutes: (values: { count: number }) => string;
      hours: (values: { count: number }) => string;
      sourceNames: {
        file: string;
        web: string;
        made: string;
      };
      inMonth: (values: { month: string | number; count: number }) => string;
      between: string;
      fromDay: string;
      toDay: string;
    };
    collections: {
      title: string;
      make: string;
      rename: string;
      remove: string;
      name: string;
      save: string;
      close: string;
      acts: (values: { name: string | number }) => string;
      removing: (values: { name: string | number }) => string;
    };
    item: {
      unavailable: string;
      back: string;
      rename: string;
      renameKeys: string;
      tag: string;
      dropTag: (values: { tag: string | number }) => string;
      tagged: (values: { tag: string | number }) => string;
      collect: string;
      exportIt: string;
      exportAll: string;
      more: string;
      added: string;
      readAgain: string;
      readingAgain: (values: { version: number }) => string;
      remove: string;
      howRead: string;
      original: string;
      kept: string;
      deletedNote: string;
      bringBack: string;
      versionOf: (values: { version: number; versions: number }) => string;
      showVersion: (values: { version: number }) => string;
      compareWith: (values: { version: number }) => string;
      otherVersion: (values: { shown: number; kept: number }) => string;
      useVersion: (values: { version: number }) => string;
      panes: {
        notes: (values: { count: number }) => string;
        about: string;
      };
      keys: {
        before: string;
        after: string;
        rename: string;
        tag: string;
        compare: string;
      };
      highlighted: string;
      notes: {
        list: string;
        you: string;
        ofVersion: (values: { version: number }) => string;
        page: (values: { page: number }) => string;
        edit: string;
        remove: string;
        removed: (values: { kind: string | boolean }) => string;
        label: string;
        placeholder: string;
        keep: string;
        leave: string;
        copyAll: string;
        about: string;
        none: string;
      };
      about: {
        from: string;
        address: string;
        added: string;
        dated: string;
        language: string;
        unknown: string;
        change: string;
        length: string;
        kept: string;
        keptUntil: string;
        versions: string;
        version: (values: { isShown: string | boolean; number: number }) => string;
        compare: string;
        disk: string;
        diskOf: (values: { size: string | number; original: string | number }) => string;
        related: string;
        relatedNone: string;
        relatedWords: (values: { words: string | number }) => string;
        relatedTogether: (values: { names: string | number }) => string;
      };
      listensSoon: string;
      originalGone: string;
    };
    language: {
      found: string;
      lately: string;
      all: string;
      none: string;
      clear: string;
      title: string;
      system: (values: { language: string | number }) => string;
      failed: string;
    };
    palette: {
      title: string;
      hint: string;
      jobs: string;
      said: string;
      do: string;
      pages: string;
      none: string;
      searchFor: (values: { words: string | number }) => string;
      page: (values: { page: number }) => string;
      second: (values: { time: string | number }) => string;
      move: string;
      open: string;
      keys: string;
      groups: {
        window: string;
        page: string;
        list: string;
        run: string;
      };
      colours: string;
      at: (values: { kind: string | number; place: string | number }) => string;
      actionsOnly: (values: { key: string | number }) => string;
    };
    uploads: {
      add: string;
      layer: string;
      drop: (values: { count: number }) => string;
      stays: (values: { count: number }) => string;
      unknown: (values: { count: number }) => string;
      unknownWillBe: string;
      tray: string;
      adding: (values: { count: number }) => string;
      added: (values: { count: number }) => string;
      failed: (values: { count: number }) => string;
      waiting: string;
      checking: string;
      left: string;
      knownSince: (values: { day: string | number }) => string;
      have: (values: { count: number }) => string;
      choose: string;
      known: {
        title: {
          document: string;
          talk: string;
          site: string;
          page: string;
          sound: string;
          text: string;
        };
        given: (values: { isFile: string | boolean }) => string;
        here: string;
        added: string;
        addedFrom: (values: { day: string | number; source: string | number }) => string;
        deleted: string;
        same: string;
        sameBytes: string;
        sameAddress: string;
        yours: string;
        what: string;
        open: string;
        openAbout: string;
        back: string;
        backAbout: string;
        again: (values: { version: number }) => string;
        againAbout: string;
        others: (values: { count: number }) => string;
        leave: string;
        nothingYet: string;
        notes: (values: { count: number }) => string;
        tags: (values: { count: number }) => string;
        collections: (values: { count: number }) => string;
      };
      uploading: (values: { sent: string | number; size: string | number }) => string;
      sending: string;
      accepted: string;
      cancelled: string;
      open: string;
      again: string;
      cancel: (values: { name: string | number }) => string;
      remove: (values: { name: string | number }) => string;
      fold: string;
      unfold: string;
      close: string;
      progress: (values: { name: string | number }) => string;
      empty: string;
      dragged: (values: { kind: string | boolean; count: number }) => string;
      willBe: {
        read: string;
        transcribe: string;
        crawl: string;
      };
      leftOut: (values: { count: number; names: string | number }) => string;
    };
    kinds: {
      document: string;
      talk: string;
      site: string;
      page: string;
      sound: string;
      text: string;
    };
    orders: {
      added: string;
      updated: string;
      title: string;
      size: string;
    };
    countedKinds: {
      document: (values: { count: number }) => string;
      talk: (values: { count: number }) => string;
      site: (values: { count: number }) => string;
      page: (values: { count: number }) => string;
      sound: (values: { count: number }) => string;
      text: (values: { count: number }) => string;
    };
    kindNames: {
      document: string;
      talk: string;
      site: string;
      page: string;
      sound: string;
      text: string;
    };
    units: {
      B: (values: { value: string | number }) => string;
      kB: (values: { value: string | number }) => string;
      MB: (values: { value: string | number }) => string;
      GB: (values: { value: string | number }) => string;
      TB: (values: { value: string | number }) => string;
      ms: (values: { value: string | number }) => string;
      s: (values: { value: string | number }) => string;
      min: (values: { value: string | number }) => string;
      h: (values: { value: string | number }) => string;
      d: (values: { value: string | number }) => string;
      ago: (values: { time: string | number }) => string;
      in: (values: { time: string | number }) => string;
      justNow: string;
      inMoment: string;
      two: (values: { large: string | number; small: string | number }) => string;
      separator: string;
    };
    stages: {
      queued: string;
      waiting: string;
      starting: string;
      processing: string;
      fetching: string;
      looking: string;
      probing: string;
      reading: string;
      "reading-frames": string;
      extracting: string;
      "extracting-audio": string;
      listening: string;
      transcribing: string;
      "finding-speakers": string;
      recognizing: string;
      assembling: string;
      chunking: string;
      crawling: string;
      finishing: string;
      "reading-fields": string;
      summarising: string;
      "fitting-topics": string;
      speaking: string;
      playing: string;
      levelling: string;
      joining: string;
      writing: string;
      completed: string;
      failed: string;
      cancelled: string;
    };
    operations: {
      crawl: {
        name: string;
        short: string;
        noun: string;
        plural: string;
        doing: string;
        leads: {
          label: string;
          about: string;
          plural: string;
        };
      };
      "extract/hosted-video": {
        name: string;
        short: string;
        noun: string;
        plural: string;
        doing: string;
      };
      "extract/video": {
        name: string;
        short: string;
        noun: string;
        plural: string;
        doing: string;
        leads: {
          label: string;
          about: string;
          plural: string;
        };
      };
      "extract/doc": {
        name: string;
        short: string;
        noun: string;
        plural: string;
        doing: string;
        leads: {
          label: string;
          about: string;
          plural: string;
        };
      };
      "extract/pdf": {
        name: string;
        short: string;
        noun: string;
        plural: string;
        doing: string;
      };
      "generate/audio": {
        name: string;
        noun: string;
        plural: string;
        doing: string;
        leads: {
          label: string;
          about: string;
          plural: string;
        };
        variants: {
          music: {
            noun: string;
            plural: string;
            doing: string;
            leads: {
              label: string;
              about: string;
              plural: string;
            };
          };
          soundscape: {
            noun: string;
            plural: string;
            doing: string;
            leads: {
              label: string;
              about: string;
              plural: string;
            };
          };
        };
      };
      "generate/text": {
        name: string;
        noun: string;
        plural: string;
        doing: string;
        leads: {
          label: string;
          about: string;
          plural: string;
        };
      };
      search: {
        name: string;
        noun: string;
        plural: string;
        doing: string;
        leads: {
          label: string;
          about: string;
          plural: string;
        };
      };
      webhooks: {
        name: string;
        noun: string;
        plural: string;
        doing: string;
      };
    };
    errors: {
      source_unreachable: {
        title: string;
        heading: string;
        label: string;
      };
      source_forbidden: {
        title: string;
        heading: string;
        label: string;
      };
      source_too_large: {
        title: string;
        heading: string;
        label: string;
      };
      unsupported_media: {
        title: string;
        heading: string;
        label: string;
      };
      corrupt_input: {
        title: string;
        heading: string;
        label: string;
      };
      encrypted_input: {
        title: string;
        heading: string;
        label: string;
      };
      robots_disallowed: {
        title: string;
        heading: string;
        label: string;
      };
      model_not_installed: {
        title: string;
        heading: string;
        label: string;
      };
      engine_unavailable: {
        title: string;
        heading: string;
        label: string;
      };
      engine_failed: {
        title: string;
        heading: string;
        label: string;
      };
      timeout: {
        title: string;
        heading: string;
        label: string;
      };
      out_of_memory: {
        title: string;
        heading: string;
        label: string;
      };
      cancelled: {
        title: string;
        heading: string;
        label: string;
      };
      interrupted: {
        title: string;
        heading: string;
        label: string;
      };
      internal: {
        title: string;
        heading: string;
        label: string;
      };
      invalid_request: {
        title: string;
      };
      unauthorized: {
        title: string;
      };
      forbidden: {
        title: string;
      };
      not_found: {
        title: string;
      };
      method_not_allowed: {
        title: string;
      };
      conflict: {
        title: string;
      };
      idempotency_key_reused: {
        title: string;
      };
      job_expired: {
        title: string;
      };
      body_too_large: {
        title: string;
      };
      header_too_large: {
        title: string;
      };
      unsupported_content_type: {
        title: string;
      };
      range_not_satisfiable: {
        title: string;
      };
      rate_limited: {
        title: string;
      };
      storage_full: {
        title: string;
      };
      storage_unavailable: {
        title: string;
      };
      settlement_unavailable: {
        title: string;
      };
      shutting_down: {
        title: string;
      };
    };
  };
  work: {
    job: {
      back: string;
      unavailable: string;
      id: string;
      more: string;
      copyId: string;
      copyPages: string;
      again: string;
      keys: {
        copy: string;
      };
      retry: string;
      remove: string;
      removing: (values: { name: string | number }) => string;
      cancel: string;
      cancelTitle: string;
      cancelAbout: string;
      letRun: string;
      sourceFile: string;
      forms: {
        srt: string;
        vtt: string;
        txt: string;
        md: string;
        json: string;
        jsonl: string;
        wav: string;
        mp3: string;
        original: string;
      };
      facts: {
        pages: (values: { count: number }) => string;
        pagesRead: (values: { count: number }) => string;
        speakers: (values: { count: number }) => string;
        words: (values: { count: number }) => string;
        video: (values: { length: string | number }) => string;
        sound: (values: { length: string | number }) => string;
        done: string;
        failed: string;
        took: (values: { time: string | number }) => string;
        free: string;
        notCharged: string;
        from: (values: { account: string | number }) => string;
        owner: string;
        madeWith: (values: { key: string | number }) => string;
        onNode: (values: { node: string | number }) => string;
        size: (values: { size: string | number }) => string;
        model: (values: { model: string | number }) => string;
        submitted: string;
      };
      strip: {
        timeline: string;
        payment: string;
        webhooks: string;
        request: string;
        json: string;
        steps: (values: { steps: number; time: string | number }) => string;
        notCharged: string;
        none: string;
        delivered: (values: { count: number }) => string;
        waiting: (values: { count: number }) => string;
        failing: (values: { count: number }) => string;
        deleted: string;
        kept: string;
      };
      timeline: {
        span: (values: { from: string | number; to: string | number }) => string;
        copyLog: string;
        jump: string;
        payment: string;
        wait: string;
        run: string;
        again: string;
        workers: (values: { queueClass: string | number }) => string;
        attempts: (values: { count: number }) => string;
        webhook: (values: { host: string | number }) => string;
        paid: (values: { amount: string | number }) => string;
        free: string;
        freeNote: string;
        notYet: string;
      };
      progress: string;
      waiting: {
        title: string;
        about: string;
      };
      running: {
        about: string;
        left: (values: { time: string | number }) => string;
      };
      node: {
        about: string;
        look: string;
      };
      need: {
        choose: string;
        go: string;
        downloading: (values: { title: string | number }) => string;
        verifying: (values: { title: string | number }) => string;
        received: (values: { got: string | number; all: string | number }) => string;
        stop: string;
        about: string;
        other: string;
      };
      failure: {
        cancelled: string;
        file: string;
        change: string;
        install: string;
        save: string;
        elsewhere: string;
        code: string;
        attempts: (values: { count: number }) => string;
        retryable: string;
        final: string;
        changeAbout: string;
        fileAbout: string;
        retryAbout: string;
        saveAbout: string;
        installAbout: string;
        rerun: string;
      };
      payment: {
        none: string;
        noneAbout: string;
      };
      webhooks: {
        none: string;
        add: string;
        url: string;
        added: string;
      };
      request: {
        account: string;
        priority: string;
        queue: string;
        submitted: string;
        deleted: string;
      };
    };
    comparison: {
      title: (values: { a: number; b: number }) => string;
      changes: (values: { count: number }) => string;
      version: (values: { version: number }) => string;
      shown: string;
      use: (values: { version: number }) => string;
      same: string;
      missing: string;
      noText: string;
      failed: string;
      list: string;
      next: string;
      previous: string;
      fold: (values: { count: number }) => string;
      notIn: (values: { version: number }) => string;
      words: (values: { count: number; version: number }) => string;
      foldWords: (values: { count: number }) => string;
      library: string;
    };
    make: {
      title: string;
      kinds: {
        speak: string;
        compose: string;
        write: string;
      };
      ask: {
        speak: string;
        compose: string;
        write: string;
      };
      hint: {
        speak: string;
        compose: string;
        write: string;
      };
      act: {
        speak: string;
        compose: string;
        write: string;
      };
      stays: {
        speak: string;
        compose: string;
        write: string;
      };
      words: (values: { words: number }) => string;
      nothing: string;
      preset: string;
      savePreset: string;
      presetName: string;
      presetSaved: (values: { name: string | number }) => string;
      removePreset: (values: { name: string | number }) => string;
      presetRemoved: (values: { name: string | number }) => string;
      own: string;
      presets: {
        natural: {
          name: string;
          about: string;
        };
        guide: {
          name: string;
          about: string;
        };
        book: {
          name: string;
          about: string;
        };
        announcement: {
          name: string;
          about: string;
        };
        song: {
          name: string;
          about: string;
        };
        bed: {
          name: string;
          about: string;
        };
        loop: {
          name: string;
          about: string;
        };
        short: {
          name: string;
          about: string;
        };
        long: {
          name: string;
          about: string;
        };
        exact: {
          name: string;
          about: string;
        };
        free: {
          name: string;
          about: string;
        };
      };
      language: string;
      voice: string;
      pace: string;
      background: string;
      backgroundHint: string;
      subtitles: string;
      subtitlesAbout: string;
      chapters: string;
      chaptersAbout: string;
      place: string;
      places: {
        podcast: string;
        stream: string;
        broadcast: string;
        audiobook: string;
      };
      minutes: string;
      tempo: string;
      tempos: {
        auto: string;
        slow: string;
        middle: string;
        fast: string;
      };
      loop: string;
      loopAbout: string;
      parts: string;
      partsAbout: string;
      another: string;
      anotherAbout: string;
      model: string;
      modelAuto: string;
      size: string;
      sizes: {
        short: string;
        middle: string;
        long: string;
      };
      freedom: string;
      freedoms: {
        exact: string;
        middle: string;
        free: string;
      };
      asCode: string;
      instruments: string;
      inSeconds: (values: { count: number }) => string;
      inMinutes: (values: { count: number }) => string;
      spoken: (values: { words: number; time: string | number }) => string;
      paces: {
        muchSlower: string;
        slower: string;
        usual: string;
        faster: string;
        muchFaster: string;
      };
      allSounds: string;
      listen: {
        ask: string;
        stays: string;
        library: string;
        nothing: string;
      };
    };
    install: {
      titles: {
        speech: (values: { name: string | number }) => string;
        speakers: (values: { name: string | number }) => string;
        text: (values: { name: string | number }) => string;
        voice: (values: { name: string | number }) => string;
        soundfont: (values: { name: string | number }) => string;
        embedding: (values: { name: string | number }) => string;
        "ocr-language": (values: { name: string | number }) => string;
        ffmpeg: (values: { name: string | number }) => string;
        "yt-dlp": (values: { name: string | number }) => string;
        "whisper-cli": (values: { name: string | number }) => string;
        browser: (values: { name: string | number }) => string;
      };
      about: string;
      aboutOffer: string;
      choices: string;
      suits: string;
      tooLarge: string;
      from: (values: { source: string | number; licence: string | number }) => string;
      go: string;
      install: string;
      notNow: string;
      willWait: (values: { name: string | number }) => string;
      noChoices: string;
      sample: {
        play: (values: { title: string | number }) => string;
        stop: (values: { title: string | number }) => string;
        from: (values: { host: string | number }) => string;
      };
    };
    results: {
      loading: string;
      text: string;
      findText: string;
      find: {
        none: string;
        place: (values: { at: string | number; all: string | number }) => string;
        before: string;
        next: string;
      };
      views: {
        label: string;
        text: string;
        slides: (values: { count: string | number }) => string;
        chunks: (values: { count: string | number }) => string;
        details: string;
        fields: (values: { count: string | number }) => string;
      };
      extracted: {
        title: string;
        about: (values: { model: string | number }) => string;
        field: string;
        value: string;
        source: string;
        notStated: string;
        json: string;
      };
      digest: {
        view: string;
        summary: string;
        actionItems: string;
        none: string;
        madeBy: (values: { model: string | number }) => string;
        byModel: string;
        make: string;
        again: string;
        name: string;
        noModel: string;
        installing: string;
        reading: string;
        notInstalled: (values: { reason: string | number }) => string;
      };
      contents: string;
      page: (values: { page: number }) => string;
      beside: string;
      pageTab: string;
      pagePane: string;
      pageAlt: (values: { page: number }) => string;
      pageBefore: string;
      pageAfter: string;
      pageLarge: string;
      pageOf: (values: { page: number; pages: string | number }) => string;
      codeBlock: string;
      table: string;
      copyTable: string;
      saveTable: string;
      copied: string;
      corrected: string;
      chunks: (values: { count: number }) => string;
      chunkList: string;
      chunkActions: (values: { number: number }) => string;
      lineActions: (values: { time: string | number }) => string;
      characters: (values: { count: number }) => string;
      rechunk: {
        open: string;
        length: string;
        cut: string;
        hint: string;
        about: string;
        back: string;
      };
      account: {
        label: string;
        reasons: {
          "repeated-header-or-footer": string;
          hidden: string;
          "deleted-by-tracked-changes": string;
          "overprinted-copy": string;
          "repeated-caption": string;
          navigation: string;
          "embedded-picture": string;
          "unsupported-part": string;
          "over-limit": string;
          damaged: string;
          silence: string;
          "no-speech-recognised": string;
          duplicate: string;
          "site-rules": string;
          "not-requested": string;
          "part-of-page": string;
          "address-list": string;
          unreachable: string;
        };
        amounts: {
          letters: (values: { count: number }) => string;
          cells: (values: { count: number }) => string;
          addresses: (values: { count: number }) => string;
          pages: (values: { count: number }) => string;
        };
        some: (values: { amount: string | number }) => string;
        whole: (values: { amount: string | number }) => string;
        part: (values: { part: string | number; amount: string | number }) => string;
        wholeHeard: (values: { amount: string | number }) => string;
        partHeard: (values: { part: string | number; amount: string | number }) => string;
        leftOut: (values: { read: string | number; list: string | number }) => string;
        entry: (values: { amount: string | number; reason: string | number }) => string;
        others: (values: { count: number }) => string;
        unexplained: (values: { amount: string | number }) => string;
        uncounted: string;
      };
      warnings: string;
      doubts: {
        count: (values: { count: number }) => string;
        settled: (values: { count: number }) => string;
        corrected: string;
        mark: string;
        page: (values: { page: number }) => string;
        reasons: {
          "unlikely-letters": string;
          "no-speech-evidence": string;
          "other-language": string;
          "unsure-word": string;
          "unclear-formula": string;
        };
      };
      moreWarnings: (values: { count: string | number }) => string;
      comments: string;
      changes: string;
      on: string;
      groups: {
        transcript: string;
        covered: string;
      };
      facts: {
        document: string;
        format: string;
        title: string;
        author: string;
        pages: string;
        words: string;
        characters: string;
        language: string;
        revisions: string;
        tokenizer: string;
        ocr: string;
        meanConfidence: string;
        annotations: string;
        annotationId: string;
        kind: string;
        text: string;
        url: string;
        license: string;
        createdAt: string;
        chunkId: string;
        quote: string;
        start: string;
        end: string;
        page: string;
        pageUrl: string;
        speakers: string;
        name: string;
        seconds: string;
        voice: string;
        similarity: string;
        recognised: string;
        media: string;
        duration: string;
        speech: string;
        speechFoundBy: string;
        audioTrack: string;
        number: string;
        of: string;
        chosenBy: string;
        channels: string;
        track: string;
        channel: string;
        audioCodec: string;
        videoCodec: string;
        width: string;
        height: string;
        file: string;
        container: string;
        bitRate: string;
        artist: string;
        album: string;
        date: string;
        description: string;
        chapters: string;
        subtitles: string;
        codec: string;
        cues: string;
        transcript: string;
        model: string;
        engine: string;
        languageConfidence: string;
        translatedTo: string;
        confidence: string;
        wordTimes: string;
        wordTimesEstimated: string;
        video: string;
        publishedAt: string;
        thumbnailUrl: string;
        people: string;
        role: string;
        foundBy: string;
        source: string;
        size: string;
        usage: string;
        promptTokens: string;
        completionTokens: string;
        totalTokens: string;
        estimated: string;
        finishReason: string;
      };
      otherFacts: string;
      transcript: string;
      findSpoken: string;
      subtitles: {
        label: string;
        presets: {
          standard: string;
          netflix: string;
          "netflix-children": string;
          youtube: string;
        };
        video: string;
        forms: {
          "track-mp4": string;
          "track-mkv": string;
          "burned-in": string;
        };
        waiting: string;
        making: string;
        cancel: string;
        needs: string;
        fetch: string;
        fetching: string;
        written: string;
      };
      nothingSaid: string;
      follow: string;
      liveTalk: {
        now: string;
        progress: string;
        about: string;
        follow: string;
        upTo: (values: { time: string | number }) => string;
      };
      seek: (values: { time: string | number }) => string;
      chapters: string;
      speakers: {
        label: string;
        share: (values: { percent: number }) => string;
        rename: string;
        nameOf: (values: { name: string | number }) => string;
        sameName: string;
        remember: string;
        rememberOf: (values: { name: string | number }) => string;
        rememberAbout: string;
        recognised: (values: { percent: number }) => string;
        mayBe: (values: { name: string | number; percent: number }) => string;
        accept: (values: { voice: string | number }) => string;
        acceptFor: (values: { name: string | number; voice: string | number }) => string;
        remembered: string;
        samples: (values: { count: number }) => string;
        lastHeard: string;
        forget: string;
        forgetOf: (values: { name: string | number }) => string;
        forgetSure: string;
        forgetAbout: (values: { name: string | number }) => string;
        keep: string;
        save: string;
        cancel: string;
      };
      unsure: (values: { percent: number }) => string;
      videoFrom: string;
      channel: string;
      frameAt: (values: { time: string | number }) => string;
      readWith: (values: { percent: number }) => string;
      noText: string;
      player: {
        picture: string;
        key: string;
        play: string;
        pause: string;
        back: string;
        of: (values: { length: string | number }) => string;
        speed: (values: { speed: number }) => string;
        captions: string;
        mute: string;
        full: string;
        waveform: string;
        position: string;
        sections: string;
        measuring: string;
        noShape: (values: { reason: string | number }) => string;
      };
      saveAs: (values: { form: string | number }) => string;
      spokenText: string;
      description: string;
      audio: {
        title: string;
        voice: string;
        style: string;
        key: string;
        tempo: string;
        bpm: (values: { tempo: string | number }) => string;
        instruments: string;
        sounds: string;
        length: string;
        loudness: string;
        goal: (values: { goal: string | number }) => string;
        rms: string;
        range: string;
        peak: string;
        clipped: string;
        format: string;
        mono: string;
        stereo: string;
        notMeasured: string;
      };
      notes: {
        count: (values: { notes: number }) => string;
        pending: string;
        publish: string;
        withdraw: string;
        page: (values: { page: number }) => string;
        second: (values: { time: string | number }) => string;
      };
      selection: {
        own: {
          highlight: string;
          note: string;
        };
        nextSentence: string;
        previousSentence: string;
        title: string;
        correct: string;
        note: string;
        play: string;
        copy: string;
        correctionLabel: string;
        noteLabel: string;
        saveCorrection: string;
        saveNote: string;
        cancel: string;
        correctionAbout: string;
        noteAbout: string;
        corrected: string;
        correctedLater: string;
        noted: string;
        published: string;
        publishedLater: string;
        withdrawn: string;
        takenBack: string;
        correctedBut: (values: { parts: string | number }) => string;
        publishedBut: (values: { parts: string | number }) => string;
      };
      crawl: {
        tally: {
          label: string;
          read: string;
          risky: string;
          skipped: string;
          failed: string;
        };
        live: {
          progress: string;
          now: string;
          starting: string;
          last: string;
          waiting: string;
          others: string;
        };
        foundOn: (values: { address: string | number }) => string;
        find: string;
        tree: string;
        more: (values: { count: string | number }) => string;
        risks: (values: { count: number }) => string;
        skippedTitle: string;
        failedTitle: string;
        reasons: {
          redirect: string;
          duplicate: string;
          noindex: string;
          nofollow: string;
          robots: string;
          scope: string;
          depth: string;
          pattern: string;
          excluded: string;
          "needs-script": string;
          "script-failed": string;
          listed: string;
          limit: string;
          time: string;
          asset: string;
          script: string;
          pixel: string;
          "too-large": string;
          type: string;
          status: string;
          forbidden: string;
          unreachable: string;
          unreadable: string;
          sitemap: string;
        };
        address: string;
        open: (values: { url: string | number }) => string;
        modes: {
          page: string;
          markdown: string;
          links: (values: { count: string | number }) => string;
        };
        copyPage: string;
        noText: string;
        findings: string;
        signs: (values: { count: number }) => string;
        signsAbout: string;
        kinds: {
          "hidden-text": string;
          "invisible-characters": string;
          instruction: string;
          "exfiltrating-link": string;
        };
        personal: {
          email: string;
          iban: string;
          "payment-card": string;
          "us-social-security": string;
          phone: string;
          "ip-address": string;
        };
        topics: {
          health: string;
          "self-harm": string;
          finance: string;
          legal: string;
          adult: string;
          gambling: string;
          weapons: string;
          drugs: string;
          politics: string;
          religion: string;
          violence: string;
        };
        places: {
          text: string;
          "hidden-text": string;
          attribute: string;
          comment: string;
          link: string;
        };
        confidence: {
          low: string;
          medium: string;
          high: string;
        };
        checked: string;
        noSigns: string;
        noPersonal: string;
        noAiUse: string;
        aiUse: (values: { rules: string | number }) => string;
        noLicence: string;
        licence: (values: { licence: string | number }) => string;
        robots: (values: { rules: string | number }) => string;
        topic: (values: { topic: string | number; hits: string | number }) => string;
        thePage: string;
        screenshot: string;
        openScreenshot: string;
        openPdf: string;
        rendered: string;
        wereRun: string;
        renderedPages: string;
        warnings: string;
        depth: string;
        links: (values: { count: number }) => string;
        status: string;
        author: string;
        published: string;
        modified: string;
        uncertain: string;
        uncertainOf: (values: { others: string | number }) => string;
        inferred: string;
        language: string;
        size: string;
        tokens: string;
        rank: string;
        about: string;
        fetched: string;
        summary: string;
        summaryAbout: (values: { tokens: string | number }) => string;
        run: string;
        urlsSeen: string;
        endedBy: string;
        ends: {
          done: string;
          pages: string;
          time: string;
        };
        withoutText: string;
        boilerplate: string;
        agents: string;
        noAgents: string;
      };
      picture: (values: { alt: string | number }) => string;
      pictureUnnamed: string;
    };
    run: {
      title: string;
      about: string;
      operations: string;
      also: string;
      more: string;
      othersPay: string;
      fields: {
        render: string;
        voice: string;
        speed: string;
        tempo: string;
        stems: string;
        seamless: string;
        formats: string;
        voices: string;
        loudness: string;
        includeCaptions: string;
        speakers: string;
        vocabulary: string;
        translate: string;
        webhookUrl: string;
        sourceName: string;
        depth: string;
        maxTokens: string;
        temperature: string;
      };
      fieldsOf: {
        speak: {
          prompt: string;
          durationSeconds: string;
        };
        compose: {
          prompt: string;
          durationSeconds: string;
        };
      };
      names: {
        render: string;
        durationSeconds: string;
        voices: string;
        sampleRate: string;
        tempo: string;
      };
      choices: {
        render: {
          never: string;
          auto: string;
          always: string;
        };
      };
      price: (values: { amount: string | number }) => string;
      free: string;
      forYou: string;
      source: string;
      file: string;
      address: string;
      defaultIs: (values: { value: string | number }) => string;
      sendAs: string;
      owner: string;
      customer: string;
      send: string;
      pay: (values: { amount: string | number }) => string;
      working: string;
      acceptedMeanwhile: string;
      steps: {
        asked: string;
        signed: string;
        settled: string;
      };
      challenge: string;
      call: string;
      callAbout: string;
      languages: {
        curl: string;
        fetch: string;
        python: string;
      };
      tokenHint: string;
      answer: string;
      answerBefore: string;
      stop: string;
      ended: {
        stopped: string;
        broken: string;
      };
      fileGone: string;
      open: string;
      voices: {
        title: string;
        language: string;
        all: (values: { languages: number }) => string;
        more: (values: { voices: number }) => string;
        play: (values: { name: string | number }) => string;
        stop: (values: { name: string | number }) => string;
        failed: string;
        kinds: {
          natural: string;
          "built-in": string;
          server: string;
        };
        offer: {
          install: string;
          title: string;
          name: string;
          reason: string;
          downloading: (values: { received: string | number; total: string | number }) => string;
          failed: (values: { reason: string | number }) => string;
          line: (values: { language: string | number; size: string | number }) => string;
          any: (values: { size: string | number }) => string;
        };
        recommended: string;
      };
      take: {
        title: string;
        progress: string;
        made: string;
        lately: string;
        again: string;
        save: (values: { form: string | number }) => string;
      };
      noOperations: string;
      required: string;
      listHint: string;
      countOpen: string;
      countOf: (values: { name: string | number }) => string;
    };
    search: {
      title: string;
      query: string;
      hint: string;
      go: string;
      mode: string;
      modes: {
        hybrid: string;
        lexical: string;
        semantic: string;
      };
      filters: string;
      closeFilters: string;
      learned: string;
      moreItems: string;
      morePlaces: (values: { count: number }) => string;
      notShown: (values: { count: string | number }) => string;
      answer: string;
      ask: string;
      reading: string;
      notSaid: string;
      textModel: string;
      meaningModel: string;
      betterMeaning: string;
      chooseModel: string;
      installing: string;
      respelt: (values: { to: string | number; from: string | number }) => string;
      none: string;
      noneHow: string;
      start: string;
      startHow: string;
      contribution: string;
      corrected: string;
      play: (values: { time: string | number }) => string;
      page: (values: { page: string | number }) => string;
      onThePage: string;
      openAt: (values: { name: string | number; place: string | number }) => string;
      found: (values: { items: number; isComplete: string | boolean; places: number; by: string | number }) => string;
      byWords: string;
      byMeaning: (values: { meaning: string | number }) => string;
      askAgain: string;
      stop: string;
      stopped: string;
      brokenOff: string;
      writing: string;
      quotations: (values: { count: number }) => string;
      copySources: string;
      cited: (values: { words: string | number; place: string | number }) => string;
      sources: string;
      source: (values: { number: number; place: string | number }) => string;
      chosenBy: (values: { model: string | number }) => string;
      answerHow: string;
      installingMeaning: string;
      pageOf: (values: { page: string | number; pages: string | number }) => string;
      pageAlt: (values: { page: number }) => string;
      preview: string;
      openHere: string;
      facts: {
        added: string;
        in: string;
        tags: string;
      };
      copies: (values: { count: number }) => string;
      showCopies: string;
    };
    listen: {
      open: string;
      title: string;
      by: (values: { voice: string | number }) => string;
      close: string;
      play: string;
      pause: string;
      back: string;
      forward: string;
      waiting: string;
      failed: string;
      voice: string;
      pace: string;
      paceOf: (values: { rate: number }) => string;
      chapter: string;
      spoken: (values: { percent: string | number }) => string;
      whole: string;
      files: {
        m4b: string;
        mp3: string;
        vtt: string;
        txt: string;
      };
      unread: {
        tables: (values: { count: number }) => string;
        code: (values: { count: number }) => string;
        formulas: (values: { count: number }) => string;
        footnotes: (values: { count: number }) => string;
        pictures: (values: { count: number }) => string;
        all: (values: { parts: string | number }) => string;
      };
      unspoken: (values: { count: number }) => string;
      remove: string;
      feed: {
        title: string;
        about: string;
        make: string;
        name: string;
        drop: string;
        copy: string;
        phone: string;
      };
      recommended: (values: { voice: string | number }) => string;
      listed: (values: { number: number; count: number }) => string;
      next: (values: { title: string | number }) => string;
    };
  };
  service: {
    batches: {
      title: string;
      all: string;
      none: string;
      noneHow: string;
      more: string;
      columns: {
        batch: string;
        state: string;
        items: string;
        tags: string;
        cost: string;
        made: string;
      };
      nameOfDay: (values: { items: string | number; day: string | number; time: string | number }) => string;
      states: {
        processing: string;
        completed: string;
        cancelled: string;
      };
      doneFailed: (values: { count: string | number }) => string;
      done: (values: { count: string | number; all: string | number }) => string;
      failed: (values: { count: string | number }) => string;
      cancelled: (values: { count: string | number }) => string;
      free: string;
      items: string;
      moreItems: string;
      itemColumns: {
        item: string;
        state: string;
        ended: string;
      };
      file: (values: { number: string | number }) => string;
      download: string;
      retry: string;
      cancel: string;
      cancelTitle: string;
      cancelAbout: string;
      remove: string;
      removeTitle: string;
      removeAbout: string;
      keep: string;
      counted: (values: { count: number; noun: string | number; plural: string | number }) => string;
    };
    limits: {
      title: string;
      active: (values: { accounts: number }) => string;
      atLimit: (values: { accounts: number }) => string;
      search: string;
      searchHint: string;
      plans: string;
      planNames: {
        studio: string;
        production: string;
        enterprise: string;
        blocked: string;
      };
      planUses: {
        studio: string;
        production: string;
        enterprise: string;
      };
      planFigures: (values: { requests: number; jobs: number }) => string;
      custom: string;
      customChoice: string;
      columns: {
        account: string;
        plan: string;
        requests: string;
        hour: string;
        refused: string;
        paid: string;
        slots: string;
        seen: string;
      };
      lastHour: string;
      lastHourAbout: string;
      answered: string;
      refusedOnes: string;
      aMinute: (values: { most: string | number }) => string;
      hourOf: (values: { requests: number; most: string | number; limit: string | number }) => string;
      noRequests: string;
      nothingPaid: string;
      of: (values: { used: string | number; limit: string | number }) => string;
      now: string;
      wallet: string;
      address: string;
      copyName: string;
      you: string;
      owner: string;
      noLimit: string;
      notCounted: string;
      accounts: string;
      noAccounts: string;
      noAccountsWhy: string;
      notFound: (values: { search: string | number }) => string;
      more: string;
      changePlan: (values: { account: string | number; plan: string | number }) => string;
      planOf: (values: { account: string | number }) => string;
      current: string;
      changeTitle: (values: { account: string | number }) => string;
      perMinute: string;
      concurrency: string;
      whatIf: string;
      saved: (values: { account: string | number; plan: string | number }) => string;
      undone: (values: { account: string | number; plan: string | number }) => string;
      whatIfSaid: (values: { over: number; refused: number; requests: number }) => string;
      block: string;
      blockedNow: string;
      blocked: (values: { account: string | number }) => string;
    };
    models: {
      title: string;
      about: string;
      use: (values: { size: string | number }) => string;
      jobsWait: (values: { count: number }) => string;
      tasks: {
        speech: {
          title: string;
          about: string;
        };
        speakers: {
          title: string;
          about: string;
        };
        text: {
          title: string;
          about: string;
        };
        voice: {
          title: string;
          about: string;
        };
        soundfont: {
          title: string;
          about: string;
        };
        embedding: {
          title: string;
          about: string;
        };
        "ocr-language": {
          title: string;
          about: string;
        };
        programs: {
          title: string;
          about: string;
        };
      };
      ready: (values: { what: string | number }) => string;
      installed: string;
      byHand: string;
      verified: string;
      unverified: string;
      recommended: string;
      tooLarge: string;
      install: string;
      installName: (values: { name: string | number }) => string;
      remove: string;
      removeName: (values: { name: string | number }) => string;
      cancel: string;
      removeSure: (values: { name: string | number }) => string;
      removeAbout: string;
      keep: string;
      downloading: (values: { got: string | number; all: string | number }) => string;
      verifying: string;
      failed: string;
      none: string;
      noneHow: string;
      lastUsed: string;
      addLanguage: (values: { count: number }) => string;
      allModels: (values: { count: number }) => string;
      ownFile: string;
      ownFileThen: string;
      machine: (values: { cores: number; memory: string | number; gpu: string | number; free: string | number }) => string;
      noGpu: string;
      ownFileForms: {
        listening: string;
        writing: string;
      };
    };
    mediaTools: {
      states: {
        ready: string;
        installable: string;
        missing: string;
      };
      from: {
        setting: string;
        "data-folder": string;
        included: string;
        "ffmpeg-static": string;
        path: string;
      };
      lastSuccess: string;
      fetch: string;
      update: string;
    };
    settings: {
      title: string;
      names: {
        publicUrl: string;
        trustedProxies: string;
        retentionHours: string;
        backupFolder: string;
        backupEveryHours: string;
        backupsKept: string;
        lowDiskMb: string;
        allowPrivateNetworks: string;
        allowHttpWebhooks: string;
        allowedOrigins: string;
        documentLimitMb: string;
        videoLimitMb: string;
        modelMirrorUrl: string;
        jsonLimitMb: string;
        crawlMaxPages: string;
        crawlMaxMinutes: string;
        crawlDelayMs: string;
        watchRunsKept: string;
        watchDiffsMb: string;
        crawlRender: string;
        textModel: string;
        textModelIdleMinutes: string;
        textServerUrl: string;
        speechServerUrl: string;
        speechServerModel: string;
        speechServerVoices: string;
        pronunciations: string;
        deletedDays: string;
        originals: string;
      };
      choices: {
        crawlRender: {
          never: string;
          auto: string;
          always: string;
        };
        originals: {
          all: string;
          talks: string;
          none: string;
        };
      };
      hints: {
        publicUrl: string;
        trustedProxies: string;
        retentionHours: string;
        backupFolder: string;
        backupsKept: string;
        lowDiskMb: string;
        allowPrivateNetworks: string;
        allowHttpWebhooks: string;
        allowedOrigins: string;
        modelMirrorUrl: string;
        crawlMaxPages: string;
        crawlMaxMinutes: string;
        crawlDelayMs: string;
        watchRunsKept: string;
        watchDiffsMb: string;
        crawlRender: string;
        textModel: string;
        textModelIdleMinutes: string;
        textServerUrl: string;
        speechServerUrl: string;
        speechServerVoices: string;
        pronunciations: string;
        documentLimitMb: string;
        jsonLimitMb: string;
        deletedDays: string;
        originals: string;
      };
      search: string;
      found: (values: { count: number }) => string;
      sections: {
        storage: string;
        backup: string;
        access: string;
        crawling: string;
        models: string;
        voices: string;
        sizes: string;
        others: string;
        disk: string;
      };
      colours: string;
      colourChoices: {
        auto: string;
        light: string;
        dark: string;
      };
      coloursAbout: string;
      saved: string;
      changedElsewhere: (values: { value: string | number }) => string;
      takeStored: string;
      on: string;
      off: string;
      empty: string;
      unsaved: (values: { count: number }) => string;
      revert: string;
      sessions: {
        title: string;
        about: string;
        current: string;
        lastUsed: string;
        signedIn: string;
        signOut: string;
        signOutOf: (values: { browser: string | number }) => string;
        signOutOthers: string;
        othersSignedOut: string;
        signedOut: (values: { browser: string | number }) => string;
      };
      tokens: string;
      tokensAbout: string;
      reference: string;
      openapi: string;
      aboutTitle: string;
      addresses: string;
      production: string;
      staging: string;
      version: string;
      licence: string;
      licenceName: string;
      parts: {
        storage: {
          title: string;
          about: string;
          lists: {
            place: string;
            backups: string;
            restore: string;
            mirrors: string;
          };
        };
        reading: {
          title: string;
          about: string;
          lists: {
            browser: string;
          };
        };
        voices: {
          title: string;
          about: string;
          lists: {
          };
        };
        connections: {
          title: string;
          about: string;
          lists: {
            aiApps: string;
            programs: string;
            keys: string;
            phone: string;
            browsers: string;
          };
        };
        service: {
          title: string;
          about: string;
          lists: {
            nodes: string;
            audit: string;
            urls: string;
            token: string;
          };
        };
        look: {
          title: string;
          about: string;
          lists: {
            colours: string;
            language: string;
          };
        };
        about: {
          title: string;
          about: string;
          lists: {
            version: string;
            licence: string;
            reference: string;
          };
        };
      };
      browser: {
        about: string;
        offer: (values: { title: string | number; source: string | number; size: string | number; licence: string | number }) => string;
        fetched: (values: { size: string | number; sum: string | number }) => string;
        none: string;
      };
      kept: {
        items: string;
        itemsAbout: string;
        days: (values: { days: number }) => string;
        hours: (values: { hours: number }) => string;
      };
    };
    payments: {
      title: string;
      tabs: {
        ledger: string;
        prices: string;
        settlement: string;
        sandbox: string;
      };
      kinds: {
        play: string;
        real: string;
      };
      everyPayment: string;
      statuses: {
        settled: string;
        reserved: string;
        failed: string;
      };
      names: {
        status: string;
        amount: string;
        operation: string;
        payer: string;
        payTo: string;
        network: string;
        nonce: string;
        transaction: string;
        verified: string;
        settled: string;
        challenge: string;
        job: string;
        time: string;
      };
      earned: string;
      perDay: string;
      byOperation: string;
      byPayer: string;
      earnedFrom: (values: { payments: number }) => string;
      allAccounts: string;
      challenges: (values: { asked: number; refused: number }) => string;
      noPayments: string;
      noPaymentsHow: string;
      noRealHow: string;
      csv: string;
      anyStatus: string;
      more: string;
      count: (values: { payments: number }) => string;
      pricesAbout: string;
      price: string;
      window: string;
      declared: string;
      history: (values: { count: number }) => string;
      saved: (values: { operation: string | number }) => string;
      savePrice: (values: { operation: string | number }) => string;
      mode: string;
      modes: {
        sandbox: string;
        facilitator: string;
        onchain: string;
      };
      stagingSandbox: string;
      fixed: string;
      settlementAbout: string;
      checks: string;
      checksAbout: string;
      ready: string;
      notReady: string;
      open: string;
      fields: {
        network: string;
        payTo: string;
        rpcUrl: string;
        facilitatorUrl: string;
        privateKey: string;
        confirmations: string;
        v2Header: string;
        payToShared: string;
      };
      payToSharedHint: string;
      keyKept: string;
      keyHint: string;
      terms: string;
      asset: string;
      settlementSaved: string;
      wallets: string;
      demo: string;
      faucet: string;
      faucetAbout: string;
      faucetAddress: string;
      faucetAddressHint: string;
      amountIn: string;
      give: string;
      given: (values: { amount: string | number }) => string;
      sandboxOff: string;
      sandboxOffWhy: string;
      balance: string;
      address: string;
      checkNames: {
        sandbox: string;
        chain: string;
        gas: string;
        facilitator: string;
      };
    };
    contributions: {
      title: string;
      use: string;
      counts: {
        pending: (values: { count: string | number }) => string;
        approved: (values: { count: string | number }) => string;
        rejected: (values: { count: string | number }) => string;
      };
      status: string;
      statuses: {
        pending: string;
        approved: string;
        rejected: string;
      };
      list: string;
      replaced: (values: { before: string | number; after: string | number }) => string;
      added: (values: { words: string | number }) => string;
      removed: (values: { words: string | number }) => string;
      changes: (values: { count: number }) => string;
      remark: string;
      source: (values: { host: string | number }) => string;
      none: string;
      noneIn: string;
      noneHow: string;
      accept: string;
      decline: string;
      withdraw: string;
      reply: string;
      replyNeeded: string;
      anonymous: string;
      before: (values: { approved: number }) => string;
      declinedBefore: (values: { rejected: number }) => string;
      reports: (values: { count: number }) => string;
      approved: string;
      rejected: string;
      chunkGone: string;
      evidence: string;
      licence: string;
      account: string;
      replied: string;
      hear: string;
      open: string;
      at: (values: { time: string | number }) => string;
      page: (values: { page: number }) => string;
      more: string;
    };
    audit: {
      title: string;
      about: string;
      none: string;
      noneHow: string;
      more: string;
      kind: string;
      kinds: {
        change: string;
        run: string;
        refused: string;
      };
      columns: {
        at: string;
        who: string;
        what: string;
        target: string;
        outcome: string;
      };
      owner: string;
    };
    backups: {
      title: string;
      about: string;
      noFolder: string;
      into: (values: { folder: string | number }) => string;
      unreadable: string;
      making: string;
      older: (values: { count: number }) => string;
      now: string;
      restore: string;
      restoreAbout: string;
      restoreOf: (values: { name: string | number }) => string;
      choose: string;
      ask: (values: { when: string | number }) => string;
      askAbout: (values: { when: string | number }) => string;
      yes: string;
      no: string;
      preparing: string;
      ready: (values: { name: string | number }) => string;
      cancel: string;
      failed: (values: { name: string | number; why: string | number }) => string;
      replaced: string;
    };
    aiApps: {
      title: string;
      about: string;
      apps: {
        claude: string;
        cursor: string;
        vscode: string;
        other: string;
      };
      paste: {
        claude: string;
        cursor: string;
        vscode: string;
        other: string;
      };
      may: string;
      read: string;
      run: string;
      copy: string;
      again: string;
      keyOf: (values: { app: string | number }) => string;
      copied: (values: { name: string | number }) => string;
      made: (values: { name: string | number }) => string;
      chooseSome: string;
      programs: string;
      programsAbout: string;
      base: string;
    };
    devices: {
      title: string;
      about: string;
      on: string;
      off: string;
      plain: string;
      show: string;
      address: string;
      allAddresses: string;
      port: string;
      move: string;
      listens: string;
      left: (values: { time: string | number }) => string;
      copyLink: string;
      copied: string;
      newCode: string;
      code: string;
      firewall: (values: { port: string | number }) => string;
      linked: (values: { name: string | number }) => string;
      linkedDevices: string;
      none: string;
      noneHow: string;
      lastUsed: string;
      linkedAt: string;
      signOut: string;
      signOutOf: (values: { name: string | number }) => string;
      signedOut: (values: { name: string | number }) => string;
      close: string;
      steps: {
        network: string;
        camera: string;
      };
    };
    disk: {
      title: string;
      about: (values: { size: string | number }) => string;
      unused: (values: { count: number; size: string | number }) => string;
      empty: string;
      largestFirst: string;
      largest: string;
      largestAbout: (values: { days: number }) => string;
      versions: (values: { count: number }) => string;
      choose: (values: { title: string | number }) => string;
      free: (values: { size: string | number; count: number }) => string;
      freeNone: string;
      none: string;
      all: string;
      largestOf: (values: { kind: string | number }) => string;
      originals: (values: { size: string | number }) => string;
      smaller: string;
      smallerOf: (values: { kind: string | number }) => string;
      smallerTitle: (values: { size: string | number }) => string;
      smallerAbout: (values: { items: string | number }) => string;
      smallerNow: string;
      smallerSome: (values: { size: string | number }) => string;
      freed: (values: { size: string | number }) => string;
      callersGo: (values: { term: string | number }) => string;
      callersGoOf: (values: { term: string | number }) => string;
      measuring: string;
      watchesOf: string;
      kinds: {
        deleted: string;
        callers: string;
        watches: string;
        models: string;
        programs: string;
        search: string;
        databases: string;
        replaced: string;
        others: string;
      };
    };
    keys: {
      title: string;
      about: string;
      none: string;
      noneHow: string;
      add: string;
      make: string;
      name: string;
      nameHint: string;
      may: string;
      read: string;
      readHint: string;
      run: string;
      runHint: string;
      some: string;
      admin: string;
      network: string;
      networkHint: string;
      operations: string;
      chooseSome: string;
      perMinute: string;
      openJobs: string;
      limitHint: string;
      expiry: string;
      expiryHint: string;
      expiries: {
        "7": string;
        "30": string;
        "90": string;
        "365": string;
        never: string;
      };
      key: string;
      shownOnce: string;
      curl: string;
      openAi: string;
      close: string;
      lastUsed: string;
      neverUsed: string;
      expires: string;
      expired: string;
      perMinuteOf: (values: { requests: number }) => string;
      openJobsOf: (values: { jobs: number }) => string;
      edit: string;
      editOf: (values: { name: string | number }) => string;
      revoke: string;
      revokeOf: (values: { name: string | number }) => string;
      revokeTitle: (values: { name: string | number }) => string;
      revokeAbout: string;
      revoked: (values: { name: string | number }) => string;
      scopes: {
        network: string;
        read: string;
        run: string;
        runAlone: string;
        only: (values: { operations: string | number }) => string;
        onlyAlone: (values: { operations: string | number }) => string;
        admin: string;
      };
      adminHint: string;
    };
    nodes: {
      title: string;
      about: string;
      off: string;
      on: string;
      starting: string;
      host: string;
      hostHint: string;
      port: string;
      brokerPort: string;
      brokerUrl: string;
      brokerUrlHint: string;
      brokerCa: string;
      brokerCaHint: string;
      login: string;
      logins: {
        nkeys: string;
        password: string;
        creds: string;
      };
      user: string;
      password: string;
      kept: string;
      creds: string;
      localSlots: string;
      localSlotsHint: string;
      automatic: string;
      brokerConfig: string;
      save: string;
      saved: string;
      add: string;
      make: string;
      name: string;
      nameHint: string;
      shownOnce: string;
      command: (values: { join: string | number }) => string;
      commandName: string;
      close: string;
      none: string;
      noneHow: string;
      status: {
        waiting: string;
        online: string;
        offline: string;
        refused: string;
        contested: string;
      };
      draining: string;
      facts: (values: { version: string | number; cores: number }) => string;
      slots: (values: { busy: string | number; slots: string | number; lightBusy: string | number; lightSlots: string | number }) => string;
      browsers: (values: { taken: string | number; all: string | number }) => string;
      gpu: (values: { name: string | number }) => string;
      models: (values: { names: string | number }) => string;
      noModels: string;
      jobs: string;
      jobsOf: (values: { node: string | number }) => string;
      copy: string;
      copyTo: (values: { node: string | number }) => string;
      nothingToCopy: string;
      copyStates: {
        waiting: string;
        downloading: string;
        verifying: string;
        failed: string;
      };
      copying: (values: { model: string | number; state: string | number }) => string;
      received: (values: { got: string | number; all: string | number }) => string;
      cancelCopy: string;
      dropCopy: string;
      again: string;
      lastSeen: string;
      drain: string;
      undrain: string;
      remove: string;
      removeTitle: (values: { name: string | number }) => string;
      removeAbout: string;
      removed: (values: { name: string | number }) => string;
      of: (values: { action: string | number; name: string | number }) => string;
    };
    watches: {
      title: string;
      sites: string;
      count: (values: { count: number }) => string;
      paused: (values: { count: string | number }) => string;
      add: string;
      edit: string;
      none: string;
      noneHow: string;
      columns: {
        site: string;
        schedule: string;
        last: string;
        changes: string;
        next: string;
      };
      actions: string;
      of: (values: { action: string | number; site: string | number }) => string;
      run: string;
      pause: string;
      resume: string;
      remove: string;
      options: string;
      save: string;
      removeTitle: string;
      removeAbout: (values: { site: string | number }) => string;
      keep: string;
      started: string;
      isPaused: string;
      every: {
        minutes: (values: { count: number }) => string;
        hours: (values: { count: number }) => string;
        days: (values: { count: number }) => string;
        weeks: (values: { count: number }) => string;
        at: (values: { every: string | number; time: string | number }) => string;
      };
      states: {
        running: string;
        completed: string;
        failed: string;
      };
      noRun: string;
      first: string;
      noChange: string;
      counts: {
        added: (values: { count: string | number }) => string;
        changed: (values: { count: string | number }) => string;
        removed: (values: { count: string | number }) => string;
        gone: (values: { count: string | number }) => string;
        moved: (values: { count: string | number }) => string;
      };
      form: {
        url: string;
        urlHint: string;
        depth: string;
        name: string;
        nameHint: string;
        every: string;
        time: string;
        maxPages: string;
        maxPagesHint: string;
        webhook: string;
        webhookHint: string;
        include: string;
        includeHint: string;
        exclude: string;
        excludeHint: string;
        sitemap: string;
        sitemaps: {
          skip: string;
          include: string;
          only: string;
        };
        secretKept: string;
        secretLost: string;
        startsOver: string;
        watch: string;
      };
      runs: string;
      moreRuns: string;
      moreChanges: string;
      cause: {
        schedule: string;
        owner: string;
      };
      openJob: string;
      jobGone: string;
      firstAbout: string;
      noChangeAbout: string;
      runningAbout: string;
      noRunAbout: string;
      changes: string;
      change: {
        added: string;
        changed: string;
        removed: string;
        gone: string;
        moved: string;
        first: string;
      };
      movedTo: (values: { url: string | number }) => string;
      share: (values: { percent: string | number }) => string;
      lines: (values: { added: string | number; removed: string | number }) => string;
      noDiff: string;
      cut: string;
      diffGone: string;
      history: string;
      historyOf: (values: { url: string | number }) => string;
      back: string;
      newPage: (values: { characters: number }) => string;
      diff: string;
      watchThis: string;
      watched: string;
      notRead: (values: { count: number }) => string;
    };
    folders: {
      title: string;
      add: string;
      edit: string;
      none: string;
      noneHow: string;
      columns: {
        folder: string;
        work: string;
        state: string;
        files: string;
      };
      states: {
        looking: string;
        watching: string;
        paused: string;
        missing: string;
        unreadable: string;
        too_many: string;
        waiting: string;
      };
      counts: (values: { failed: number; done: string | number }) => string;
      open: (values: { count: string | number }) => string;
      look: string;
      looked: string;
      retry: string;
      removeTitle: string;
      removeAbout: (values: { path: string | number }) => string;
      form: {
        path: string;
        pathHint: string;
        work: string;
        extensions: string;
        extensionsHint: string;
        results: string;
        choose: string;
        fromNowOn: string;
        resultChoices: {
          quarry: string;
          beside: string;
        };
        watch: string;
      };
      files: string;
      noFiles: string;
      moreFiles: string;
      fileColumns: {
        file: string;
        size: string;
        state: string;
        results: string;
        found: string;
      };
      results: {
        none: string;
        due: string;
        written: string;
        failed: string;
      };
      resultsAt: (values: { path: string | number }) => string;
      settling: (values: { count: string | number }) => string;
      watched: string;
    };
    feeds: {
      title: string;
      add: string;
      edit: string;
      none: string;
      noneHow: string;
      columns: {
        feed: string;
        work: string;
        entries: string;
        next: string;
      };
      read: string;
      started: string;
      removeTitle: string;
      removeAbout: (values: { name: string | number }) => string;
      form: {
        url: string;
        urlHint: string;
        work: string;
        first: string;
        every: string;
        fromNowOn: string;
        nameHint: string;
        follow: string;
      };
      entries: string;
      noEntries: string;
      moreEntries: string;
      noTitle: string;
      entryColumns: {
        entry: string;
        published: string;
        state: string;
        found: string;
      };
      watched: string;
    };
    webhooks: {
      title: string;
      failingOf: (values: { failing: string | number; all: string | number }) => string;
      endpoints: (values: { count: number; shown: string | number }) => string;
      failingSince: string;
      succeeded: (values: { percent: string | number }) => string;
      dayOf: (values: { delivered: string | number; failed: string | number }) => string;
      noCalls: string;
      allEndpoints: string;
      came: {
        answered: (values: { attempt: string | number; status: string | number }) => string;
        unanswered: (values: { attempt: string | number; why: string | number }) => string;
        same: string;
        other: string;
        under: string;
      };
      tabs: {
        endpoints: string;
        deliveries: string;
        signatures: string;
        inbox: string;
      };
      statuses: {
        pending: string;
        delivered: string;
        exhausted: string;
        cancelled: string;
      };
      underWay: string;
      retrying: string;
      held: {
        paused: string;
        disabled: string;
      };
      heldUntil: {
        paused: string;
        disabled: string;
      };
      noAnswerYet: string;
      noAnswer: string;
      noAddress: string;
      columns: {
        delivery: string;
        target: string;
        status: string;
        answer: string;
        attempts: string;
        created: string;
        events: string;
        day: string;
        last: string;
        account: string;
      };
      calledWhen: {
        ends: string;
        isDone: string;
        fails: string;
        changes: string;
        alerts: string;
      };
      noEndpoints: string;
      noEndpointsHow: string;
      add: string;
      name: string;
      nameHint: string;
      rename: string;
      renamed: (values: { name: string | number }) => string;
      url: string;
      urlHint: string;
      events: string;
      eventsHint: string;
      secret: string;
      secretHint: string;
      makeSecret: string;
      added: string;
      rotation: {
        open: (values: { has: string | boolean }) => string;
        newSecret: string;
        overlap: string;
        overlapHint: string;
        overlaps: {
          "0": string;
          "3600": string;
          "86400": string;
          "604800": string;
        };
        change: string;
        given: string;
        close: string;
        oldHolds: string;
        oldUntil: (values: { time: string | number }) => string;
        oldEnds: string;
        endOld: string;
      };
      endpointStatuses: {
        active: string;
        paused: string;
        disabled: string;
      };
      ofEndpoint: (values: { what: string | number; url: string | number }) => string;
      pause: string;
      resume: string;
      test: string;
      testNot: {
        paused: string;
        disabled: string;
      };
      testOutcomes: {
        answered: (values: { status: number }) => string;
        unanswered: string;
        waits: string;
        delivered: (values: { status: string | number }) => string;
        arrived: string;
      };
      remove: string;
      removeSure: string;
      removeAbout: (values: { url: string | number }) => string;
      keep: string;
      signed: string;
      unsigned: string;
      moreEndpoints: string;
      noDeliveries: string;
      noDeliveriesHow: string;
      allStates: string;
      deliveriesOf: (values: { address: string | number }) => string;
      onlyOf: string;
      ofAll: string;
      more: string;
      redeliver: string;
      redelivered: string;
      redeliveredOnce: (values: { when: string | number }) => string;
      redeliverMany: string;
      redeliverAbout: (values: { sendable: number; all: number }) => string;
      redeliverYes: (values: { count: number }) => string;
      nothing: string;
      attempts: string;
      attempt: (values: { number: number }) => string;
      byHand: string;
      next: string;
      noAttempts: string;
      why: string;
      request: string;
      response: string;
      noResponse: string;
      headers: string;
      body: string;
      exactBytes: (values: { count: number; hash: string | number }) => string;
      truncated: string;
      signature: string;
      back: string;
      names: {
        event: string;
        job: string;
        webhook: string;
        url: string;
        created: string;
      };
      explainTitle: string;
      explainAbout: string;
      explainHeaders: string;
      explainBody: string;
      explain: string;
      verdicts: {
        valid: string;
        invalid: string;
        missing: string;
        unsigned: string;
      };
      payloadSignature: string;
      standardSignature: string;
      stringToSign: string;
      expected: string;
      received: string;
      keyEncoding: string;
      how: string;
      howPayload: string;
      howStandard: string;
      howMore: string;
      inboxAbout: string;
      newInbox: string;
      noInboxes: string;
      noInboxesHow: string;
      inboxAddress: string;
      behaviour: string;
      answers: {
        accept: string;
        timeout: string;
        slow: (values: { seconds: string | number }) => string;
        times: (values: { count: number }) => string;
        accepted: (values: { status: string | number }) => string;
        error: (values: { status: string | number }) => string;
      };
      allMessages: (values: { count: number }) => string;
      someRequest: string;
      noMessages: string;
      noMessagesHow: string;
      removeInbox: string;
      removeInboxAbout: string;
      redeliverTitle: (values: { count: number }) => string;
      requeued: (values: { count: number }) => string;
    };
    mirrors: {
      title: string;
      about: string;
      none: string;
      all: string;
      inStep: string;
      writing: string;
      failed: string;
      kept: (values: { count: number }) => string;
      now: string;
      end: (values: { path: string | number }) => string;
    };
    places: {
      title: string;
      data: string;
      models: string;
      free: (values: { free: string | number; total: string | number }) => string;
      show: string;
      copy: string;
      copied: string;
      move: string;
      actionOf: (values: { action: string | number; name: string | number }) => string;
      given: string;
      missing: (values: { folder: string | number }) => string;
      waits: (values: { to: string | number }) => string;
      failed: (values: { to: string | number; why: string | number }) => string;
      cancel: string;
      dismiss: string;
      ask: (values: { name: string | number }) => string;
      askAbout: string;
      path: string;
      pathHint: string;
      choose: string;
      yes: string;
      former: (values: { folder: string | number }) => string;
      deleteFormer: string;
      deleteFormerAbout: string;
    };
  };
}
