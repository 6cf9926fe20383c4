import type { ThreatRule } from "./threat-rule";

/** One language's words for the same attack; Latin, Greek, Arabic and Hebrew letters without their marks. */
interface Tongue {
  /** Verbs of putting orders aside, as stems. */
  readonly drop: string;
  /** The orders, as stems. */
  readonly orders: string;
  /** Verbs that go before the orders or behind them, as the language has it. */
  readonly reveal: string;
  /** The system prompt, or secrets. */
  readonly guarded: string;
  /** Not telling the person. */
  readonly hide: string;
  /** "You are now". */
  readonly role: string;
}

const GAP = "[^.!?。！？\\n]{0,60}?";

const TONGUES: readonly Tongue[] = [
  {
    // French
    // "ignore … instructions" alone is English
    drop: "\\b(?:ignor(?:e|er|ez|ons)(?= (?:[^.!?]{0,30} )?(?:les?|la|tes|vos|toutes?|tous|des|ces|ce|mes|ses|aux|votre|ton) )|oubli(?:e[rz]?|ons)|ne (?:tiens|tenez) (?:pas|plus) compte|ne (?:suis|suivez) (?:pas|plus)|neglig(?:e|ez|er)|faites? abstraction|contourn(?:e[rz]?))\\b",
    orders: "\\b(?:instructions?|consignes?|directives?|regles?|ordres?|messages? precedents?)\\b",
    reveal: "\\b(?:revele[rz]?|affiche[rz]?|montre[rz]?|divulgue[rz]?|donne[rz]?|imprime[rz]?)\\b",
    guarded:
      "\\b(?:prompt (?:systeme|initial)|invite systeme|instructions? (?:systeme|cachees?|secretes?)|mots? de passe|cles? (?:api|secretes?)|secrets)\\b",
    hide: "\\b(?:ne (?:dis|dites|revele[rz]?|informe[rz]?|parle[rz]?|previen[st]|prevenez|mentionne[rz]?)\\b.{0,20}\\b(?:pas|rien|jamais)\\b.{0,30}\\butilisateur|(?:a l'insu|sans (?:prevenir|informer|le dire)).{0,15}\\butilisateur)",
    role: "\\b(?:(?:tu es|vous etes) (?:maintenant|desormais|dorenavant)|(?:desormais|dorenavant|a partir de maintenant),? (?:tu es|vous etes))\\b",
  },
  {
    // German
    drop: "\\b(?:ignorier(?:e|en|t)?|vergiss|vergesst|vergessen sie|missachte[nt]?|(?:beachte|befolge|folge)\\w?\\b(?=[^.!?]{0,40}\\bnicht)|uberschreibe[nt]?|umgehe[nt]?|verwirf)\\b",
    orders:
      "\\b(?:\\w*anweisung(?:en)?|instruktion(?:en)?|\\w*regeln?|vorgaben?|\\w*richtlinien?|befehle?n?|prompts?|anordnungen)\\b",
    reveal: "\\b(?:zeig(?:e|en)?|verrat(?:e|en)?|gib|geben sie|nenne?|offenbare|drucke)\\b",
    guarded:
      "\\b(?:system-?prompt\\w*|systemanweisung(?:en)?|systemnachricht|geheimnisse?|passwort(?:er)?|zugangsdaten|api-?schlussel|geheimen? \\w+)\\b",
    hide: "\\b(?:sag(?:e|en)?|erzahl(?:e|en)?|informier(?:e|en)|verrate?n?|melde|teile?)\\b.{0,30}\\b(?:nutzer|benutzer|anwender|besitzer|eigentumer)\\w*.{0,30}\\b(?:nicht|nichts)\\b|\\b(?:sag|sage|erzahle?|verrate?)\\b.{0,10}\\b(?:nicht|nichts)\\b.{0,20}\\b(?:nutzer|benutzer|anwender|besitzer)",
    role: "\\b(?:du bist|sie sind) (?:jetzt|nun|ab (?:jetzt|sofort)|von nun an)\\b|\\b(?:ab sofort|von nun an|ab jetzt) (?:bist du|sind sie|gehorch)",
  },
  {
    // Spanish
    drop: "\\b(?:ignor(?:a|e|ar|en|ad)|olvid(?:a|e|ar|en|ate|ese)|haz caso omiso|haga caso omiso|no (?:sigas|siga|obedezcas|hagas caso|tengas en cuenta)|descart(?:a|e|ar)|omit(?:e|a|ir)|desobedece|desestim(?:a|e))\\b",
    orders: "\\b(?:instruccion(?:es)?|ordenes|reglas|directrices|indicaciones|normas|mensajes? anteriore?s?)\\b",
    reveal: "\\b(?:revel(?:a|e|ar)|muestr(?:a|e)|mostrar|imprim(?:e|a|ir)|divulg(?:a|ue)|dime|dame|ensena(?:me)?)\\b",
    guarded:
      "\\b(?:prompt (?:del? )?(?:sistema|inicial)|instrucciones (?:del sistema|ocultas|secretas)|contrasenas?|credenciales|claves? (?:api|secretas?|privadas?)|secretos)\\b",
    hide: "\\bno (?:le |se lo |lo |les )?(?:digas?|informes?|cuentes?|menciones?|reveles?|avises?|notifiques?)\\b.{0,30}\\b(?:usuario|dueno|propietario)|\\bsin que (?:el|la) (?:usuario|dueno)\\b.{0,20}\\b(?:sepa|note|entere)|\\boculta(?:lo|selo|r|le)?\\b.{0,20}\\b(?:usuario|dueno)",
    role: "\\b(?:ahora eres|eres ahora|a partir de ahora,? (?:eres|seras)|desde ahora,? eres|actua como si no tuvieras)\\b",
  },
  {
    // Portuguese
    drop: "\\b(?:ignor(?:e|a|ar|em)|esque(?:ca|cer|ce)|desconsider(?:e|a|ar)|nao (?:siga|obedeca|leve em conta)|descart(?:e|a|ar)|desobedeca)\\b",
    orders: "\\b(?:instruc(?:ao|oes)|ordens|regras|diretrizes|orientacoes|comandos|normas)\\b",
    reveal: "\\b(?:revel(?:e|a|ar)|mostr(?:e|a|ar)|imprim(?:a|e|ir)|divulg(?:ue|a)|diga|exib(?:a|ir)|me de)\\b",
    guarded:
      "\\b(?:prompt (?:do sistema|inicial|de sistema)|instrucoes (?:do sistema|ocultas|secretas)|senhas?|credenciais|chaves? (?:api|de api|secretas?|privadas?)|segredos)\\b",
    hide: "\\bnao (?:conte|diga|informe|mencione|revele|avise|notifique)\\b.{0,30}\\b(?:usuario|utilizador|dono|proprietario)|\\bsem (?:que|avisar|informar) o (?:usuario|utilizador|dono)",
    role: "\\b(?:agora voce e|voce agora e|a partir de agora,? voce e)\\b",
  },
  {
    // Italian
    drop: "\\b(?:ignor(?:a|are|ate|i)|dimentic(?:a|are|ate|hi)|non (?:seguire|obbedire|tenere conto|considerare)|trascur(?:a|are)|scart(?:a|are)|disobbedisci)\\b",
    orders: "\\b(?:istruzion[ei]|ordini|regole|direttive|indicazioni|comandi|linee guida)\\b",
    reveal: "\\b(?:rivel(?:a|are|ami)|mostr(?:a|are|ami)|stamp(?:a|are)|divulg(?:a|are)|dimmi|dammi)\\b",
    guarded:
      "\\b(?:prompt (?:di sistema|del sistema|iniziale)|istruzioni (?:di sistema|nascoste|segrete)|password|credenziali|chiav[ei] (?:api|segrete?|private?)|segreti)\\b",
    hide: "\\bnon (?:dire|dirlo|informare|rivelare|avvisare|menzionare|avvertire)\\b.{0,30}\\b(?:utente|proprietario)|\\bsenza (?:che|dirlo|avvisare|informare).{0,10}\\butente",
    role: "\\b(?:ora sei|adesso sei|sei ora|d'ora in poi,? (?:sei|tu sei))\\b",
  },
  {
    // Dutch
    drop: "\\b(?:negeer|negeren|vergeet|vergeten|sla\\b(?=.{0,30}\\bover)|volg\\b(?=.{0,30}\\bniet)|omzeil)\\b",
    orders: "\\b(?:instructies?|opdrachten|regels|aanwijzingen|richtlijnen|prompts?|bevelen)\\b",
    reveal: "\\b(?:onthul|toon|laat\\b.{0,10}\\bzien|geef|print|verklap)\\b",
    guarded: "\\b(?:systeem-?prompt|systeeminstructies|wachtwoord(?:en)?|geheimen|api-?sleutels?|inloggegevens)\\b",
    hide: "\\b(?:vertel|zeg|meld)\\b.{0,30}\\bgebruiker\\b.{0,20}\\b(?:niet|niets)|\\b(?:vertel|zeg|meld)\\b.{0,10}\\b(?:niet|niets)\\b.{0,20}\\bgebruiker",
    role: "\\b(?:je bent|jij bent|u bent) (?:nu|vanaf nu|voortaan)\\b|\\b(?:vanaf nu|voortaan) (?:ben je|ben jij)",
  },
  {
    // Swedish, Danish, Norwegian
    drop: "\\b(?:ignorera|ignorer|glom|glem|strunta i|bortse fran|se bort fra|folj inte|folg ikke)\\b",
    orders:
      "\\b(?:instruktion(?:er|erna|erne)?|instruks(?:er|ene|joner|jonene)?|regler(?:na|ne)?|anvisningar(?:na)?|order|prompt(?:en|ar)?)\\b",
    reveal: "\\b(?:avsloja|avslor|visa|vis|skriv ut)\\b",
    guarded: "\\b(?:systemprompt(?:en)?|losenord(?:et|en)?|adgangskoder?|passord(?:et)?|hemligheter(?:na)?)\\b",
    hide: "\\b(?:beratta|sag|si|fortell|fortael)\\b.{0,10}\\b(?:inte|ikke|inget)\\b.{0,25}\\b(?:anvandare|bruger|bruker)",
    role: "\\bdu ar nu\\b|\\bdu er n[ua]\\b|\\bfran och med nu ar du\\b",
  },
  {
    // Polish
    drop: "\\b(?:(?:z|)ignoruj(?:cie)?|zapomnij(?:cie)?|pomin(?:cie)?|nie (?:przestrzegaj|stosuj|sluchaj)|odrzuc|lekcewaz)\\b",
    orders: "\\b(?:instrukcj\\w+|polecen\\w+|zasad\\w*|regul\\w*|wytyczn\\w+|rozkaz\\w+|prompt\\w*)\\b",
    reveal: "\\b(?:ujawnij|pokaz|wyswietl|podaj|wypisz|zdradz)\\b",
    guarded:
      "\\b(?:prompt\\w* systemow\\w+|systemow\\w+ prompt\\w*|instrukcj\\w+ systemow\\w+|hasl[ao]|hasel|tajn\\w+|klucz\\w* api|sekret\\w*)\\b",
    hide: "\\bnie (?:mow|informuj|ujawniaj|wspominaj|powiadamiaj)\\b.{0,25}\\b(?:uzytkownik|wlasciciel)",
    role: "\\b(?:jestes teraz|teraz jestes|od (?:teraz|tej chwili) jestes)\\b",
  },
  {
    // Turkish
    drop: "(?:yok ?say|gormezden gel|unut|dikkate alma|goz ?ardi et|bos ver)\\w*",
    orders: "\\b(?:talimat\\w*|komut\\w*|kural\\w*|yonerge\\w*|emir\\w*|prompt\\w*)\\b",
    reveal: "(?:goster|acikla|yazdir|ifsa et|soyle)\\w*",
    guarded: "\\b(?:sistem (?:istem|prompt|komut|mesaj)\\w*|sifre\\w*|parola\\w*|gizli \\w+)\\b",
    hide: "\\bkullanici\\w*\\b.{0,25}\\b(?:soyleme|bildirme|haber verme|gosterme)\\w*",
    role: "\\b(?:sen artik|artik sen|(?:su andan itibaren|bundan sonra) sen|simdi sen)\\b",
  },
  {
    // Vietnamese, Indonesian, Malay
    drop: "\\b(?:bo qua|quen|phot lo|lo di|abaikan|lupakan|jangan ikuti|hiraukan)\\b",
    orders: "\\b(?:huong dan|chi thi|lenh|quy tac|chi dan|instruksi|perintah|aturan|arahan|petunjuk|prompt)\\b",
    reveal: "\\b(?:tiet lo|hien thi|cho biet|in ra|tampilkan|ungkapkan|tunjukkan|berikan|bocorkan)\\b",
    guarded: "\\b(?:loi nhac he thong|prompt he thong|mat khau|bi mat|prompt sistem|kata sandi|rahasia|kredensial)\\b",
    hide: "\\b(?:dung|khong)\\b.{0,10}\\b(?:noi|bao|cho)\\b.{0,15}\\bnguoi dung|\\bjangan (?:beri ?tahu|katakan|sampaikan|informasikan)\\b.{0,25}\\bpengguna",
    role: "\\b(?:bay gio ban la|ban bay gio la|sekarang (?:kamu|anda) adalah|(?:kamu|anda) sekarang adalah|mulai sekarang (?:kamu|anda)|tu bay gio ban la)\\b",
  },
  {
    // Czech, Slovak
    drop: "\\b(?:ignoruj(?:te)?|zapomen(?:te)?|zabudni(?:te)?|nedodrzuj(?:te)?|neposlouchej|vynechej|opomin)\\b",
    orders: "\\b(?:instrukc\\w+|pokyn\\w*|pravid\\w+|prikaz\\w*|prompt\\w*)\\b",
    reveal: "\\b(?:odhal|ukaz|zobraz|vypis|prozrad|vyzrad)\\w*",
    guarded: "\\b(?:systemov\\w+ (?:prompt|pokyn|instrukc)\\w*|hesl[ao]|tajemstvi|tajn\\w+)\\b",
    hide: "\\b(?:nerikej|neinformuj|nesdeluj|nehovor)\\b.{0,25}\\b(?:uzivatel|pouzivatel)",
    role: "\\b(?:nyni jsi|ted jsi|od (?:ted|nynejska) jsi|odteraz si)\\b",
  },
  {
    // Romanian, Hungarian, Finnish
    drop: "\\b(?:ignor(?:a|ati|ă)(?= (?:toate |orice )?(?:instructiun|regul|indicat))|uita(?:ti)?|nu (?:urma|respecta)(?:ti)?|hagyd figyelmen kivul|felejtsd el|ne kovesd|jata\\b(?=.{0,40}\\bhuomiotta)|unohda|ala (?:noudata|seuraa))\\b",
    orders: "\\b(?:instructiun\\w+|regul\\w+|indicati\\w+|utasitas\\w*|szabaly\\w*|ohje\\w*|maarays\\w*|saan\\w*)\\b",
    reveal: "\\b(?:dezvaluie|arata|afiseaza|fedd fel|mutasd|ird ki|paljasta|nayta|tulosta)\\b",
    guarded:
      "\\b(?:prompt\\w* (?:de|al) sistem\\w*|parol\\w+|rendszerprompt\\w*|jelszo\\w*|jarjestelmakehot\\w*|salasan\\w+)\\b",
    hide: "\\bnu (?:spune|informa|dezvalui)\\w*\\b.{0,25}\\butilizator|\\bne (?:mondd|szolj|arulj)\\w*\\b.{0,25}\\bfelhasznalo|\\bala (?:kerro|ilmoita|mainitse)\\b.{0,25}\\bkayttaja",
    role: "\\b(?:acum esti|esti acum|de acum (?:esti|inainte esti)|mostantol (?:te )?|olet nyt|tasta lahtien olet)\\b",
  },
  {
    // Russian, Ukrainian
    drop: "(?:игнор|проигнор|забуд|не обращай|не следуй|не выполняй|не слушай|отмени|пренебре|отбрось|ігнор|проігнор|не зважай|знехтуй|відкинь)\\p{L}*",
    orders:
      "(?:инструкци|указани|правил|команд|приказ|распоряжени|промпт|директив|сообщени|інструкці|вказівк|наказ|настанов)\\p{L}*",
    reveal: "(?:покажи|раскрой|выведи|сообщи|выдай|напечатай|розкрий|виведи)\\p{L}*",
    guarded:
      "(?:системн\\p{L}* (?:промпт|подсказк|инструкци|сообщени|запит)\\p{L}*|парол\\p{L}*|секрет\\p{L}*|ключ\\p{L}* api|учетн\\p{L}* данн\\p{L}*)",
    hide: "не (?:говори|сообщай|рассказывай|показывай|кажи|повідомляй|повидомляи|сообщаи)\\p{L}*.{0,25}(?:пользовател|владельц|хозяин|користувач)",
    role: "(?<!\\p{L})(?:ты|вы|ти|ви) (?:теперь|отныне|тепер|відтепер|с этого момента)|(?:с этого момента|отныне|теперь) (?:ты|вы) ",
  },
  {
    // Chinese
    drop: "忽略|忽視|忽视|無視|无视|忘記|忘记|忘掉|不要理会|不要理會|不要遵守|不要遵循|不用管|別管|别管|拋開|抛开|跳过|繞過|绕过|覆盖|取消|丢弃",
    orders: "指令|指示|命令|提示词|提示詞|提示|规则|規則|要求|说明|說明|约束|限制|設定|设定|对话|對話",
    reveal: "显示|顯示|输出|輸出|泄露|洩露|透露|告诉我|告訴我|打印|列印|公开|公開|展示|发送|發送",
    guarded: "系统提示|系統提示|系统指令|系統指令|密码|密碼|密钥|密鑰|金鑰|凭证|憑證|秘密|令牌|环境变量|環境變數",
    hide: "(?:不要|别|別|勿|不得|不能)(?:让|讓|告诉|告訴|通知|告知|提醒|向).{0,4}(?:用户|用戶|使用者|主人|任何人)|(?:瞒着|瞞著|隐瞒|隱瞞).{0,6}(?:用户|用戶|使用者)|(?:用户|用戶|使用者).{0,6}(?:不知情|不知道)",
    role: "你(?:现在|現在|从现在起|從現在起|从现在开始|從現在開始|已经|已經)(?:是|被)|(?:从现在|從現在)(?:起|开始|開始)[,,]?你(?:是|必须|必須|要服从)|假装你是|假裝你是",
  },
  {
    // Japanese
    drop: "無視|忘れて|忘れろ|忘れなさい|従わない|従うな|無効に|破棄|スキップ",
    orders: "指示|命令|指令|プロンプト|ルール|規則|制約|設定",
    reveal: "表示|出力|教えて|見せて|明かし|漏ら|暴露|送信|公開",
    guarded: "システムプロンプト|システム指示|パスワード|秘密|機密|認証情報|秘密鍵",
    hide: "(?:ユーザー?|利用者|所有者).{0,8}(?:知らせ|伝え|言わ|教え|報告し|通知し|話さ).{0,4}(?:な|ず)|(?:ユーザー?|利用者).{0,6}(?:内緒|秘密|隠)",
    role: "(?:あなたは|君は|お前は)(?:今|これ)(?:から|より)|(?:今|これ)から(?:あなた|君|お前)は",
  },
  {
    // Korean
    drop: "무시|잊어|잊고|따르지|건너뛰|취소",
    orders: "지시|명령|지침|프롬프트|규칙|설정",
    reveal: "보여|출력|공개|알려|노출|유출|말해",
    guarded: "시스템 ?프롬프트|시스템 ?메시지|비밀번호|암호|비밀|자격 ?증명|api ?키",
    hide: "사용자(?:에게|한테|가|께).{0,10}(?:말하지|알리지|알려주지|보고하지|모르게)",
    role: "(?:당신은|너는|넌) (?:이제|지금부터)|(?:이제|지금)부터 (?:당신|너)",
  },
  {
    // Arabic, Persian, Hebrew
    drop: "تجاهل|تجاهلي|انس|انسى|لا تتبع|اهمل|نادیده|نديده|فراموش|התעלם|התעלמי|התעלמו|תתעלם|שכח|תשכח",
    orders:
      "تعليمات|التعليمات|اوامر|الاوامر|قواعد|القواعد|توجيهات|دستور|قوانین|ההוראות|הוראות|הנחיות|ההנחיות|פקודות|הכללים|כללים",
    reveal: "اظهر|اكشف|اعرض|اطبع|نشان|חשוף|הצג|הדפס|גלה",
    guarded:
      "موجه النظام|تعليمات النظام|كلمة (?:المرور|السر)|كلمات المرور|اسرار|رمز عبور|סיסמ\\p{L}*|הסודות|הנחיית המערכת|פרומפט המערכת",
    hide: "لا تخبر.{0,15}المستخدم|(?:אל|לא) (?:תספר|תגיד|תגלה|תודיע).{0,10}ל?משתמש|به کاربر (?:نگو|اطلاع نده)",
    role: "انت الان|من الان فصاعدا,? انت|אתה עכשיו|מעכשיו אתה",
  },
  {
    // Hindi, Thai, Greek
    drop: "अनदेख|नज़रअंदाज|नजरअंदाज|नज़रअंदाज|भूल जा|उपेक्षा|เพิกเฉย|ละเว้น|ลืม|ไม่ต้องสนใจ|αγνοησ\\p{L}*|ξεχασ\\p{L}*|παραβλεψ\\p{L}*",
    orders: "निर्देश|आदेश|नियम|คำสั่ง|คำแนะนำ|กฎ|οδηγι\\p{L}*|εντολ\\p{L}*|κανον\\p{L}*",
    reveal: "दिखा|बता|प्रकट|แสดง|เปิดเผย|บอก|δειξ\\p{L}*|αποκαλυψ\\p{L}*",
    guarded: "सिस्टम प्रॉम्प्ट|पासवर्ड|गोपनीय|รหัสผ่าน|ความลับ|κωδικ\\p{L}*|μυστικ\\p{L}*",
    hide: "उपयोगकर्ता को (?:मत|न|नहीं)|(?:อย่า|ห้าม)(?:บอก|แจ้ง)ผู้ใช้|μην? (?:πεις|ενημερωσεις).{0,20}χρηστη",
    role: "(?:अब तुम|अब आप|तुम अब|आप अब)|ตอนนี้คุณ(?:คือ|เป็น)|εισαι τωρα",
  },
];

/** The attacks of the other rules in the languages that people write in: verb and object within one sentence. */
export const foreignRules: readonly ThreatRule[] = TONGUES.flatMap((tongue) => [
  row("foreign_override", either(tongue.drop, tongue.orders)),
  row("foreign_leak", either(tongue.reveal, tongue.guarded)),
  row("foreign_hiding", tongue.hide),
  row("foreign_role", tongue.role),
]);

/** Languages differ in whether the verb comes first. */
function either(verb: string, object: string): string {
  return `(?:${verb})${GAP}(?:${object})|(?:${object})${GAP}(?:${verb})`;
}

function row(id: string, source: string): ThreatRule {
  return { id, scope: "strict", pattern: new RegExp(source, "gu") };
}
