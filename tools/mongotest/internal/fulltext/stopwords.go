package fulltext

import (
	"strings"
	"sync"
)

// These lists hold the articles, pronouns, prepositions, conjunctions and auxiliary verbs of the languages whose stemmers
// come without a list. Servers use those of the Snowball project.
var (
	danishStopWords = setOf(`
	og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over da
	fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når være dog noget ville jo deres
	efter ned skulle denne end dette mit også under have dig anden hende mine alt meget sit sine vor mod disse hvis din nogle
	hos blive mange ad bliver hendes været thi jer sådan`)
	dutchStopWords = setOf(`
	de en van ik te dat die in een hij het niet zijn is was op aan met als voor had er maar om hem dan zou of wat mijn men dit
	zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft hebben deze u want nog zal me zij nu ge geen
	omdat iets worden toch al waren veel meer doen toen moet ben zonder kan hun dus alles onder ja eens hier wie werd altijd
	doch wordt wezen kunnen ons zelf tegen na reeds wil kon niets uw iemand geweest andere`)
	finnishStopWords = setOf(`
	olla olen olet on olemme olette ovat ole oli olin olit olimme olitte olivat ollut olleet en et ei emme ette eivät minä minun
	minut minua minussa minusta minuun minulla minulta minulle sinä sinun sinut sinua sinussa sinusta sinuun sinulla sinulta
	sinulle hän hänen hänet häntä hänessä hänestä häneen hänellä häneltä hänelle me meidän meidät meitä meissä meistä meihin
	meillä meiltä meille te teidän teidät teitä teissä teistä teihin teillä teiltä teille he heidän heidät heitä heissä heistä
	heihin heillä heiltä heille tämä tämän tätä tässä tästä tähän tällä tältä tälle tänä täksi tuo tuon tuota tuossa tuosta
	tuohon tuolla tuolta tuolle tuona tuoksi se sen sitä siinä siitä siihen sillä siltä sille sinä siksi nämä näiden näitä
	näissä näistä näihin näillä näiltä näille nuo noiden noita noissa noista noihin noilla noilta noille ne niiden niitä niissä
	niistä niihin niillä niiltä niille kuka kenen kenet ketä kenessä kenestä keneen kenellä keneltä kenelle ketkä mikä minkä mitä
	missä mistä mihin millä miltä mille miksi mitkä joka jonka jota jossa josta johon jolla jolta jolle jona joksi jotka joiden
	joita joissa joista joihin joilla joilta joille että ja jos koska kuin mutta niin sekä tai vaan vai vaikka kanssa mukaan
	noin poikki yli kun nyt itse`)
	germanStopWords = setOf(`
	aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm andern anderr anders
	auch auf aus bei bin bis bist da damit dann der den des dem die das dass daß derselbe derselben denselben desselben demselben
	dieselbe dieselben dasselbe dazu dein deine deinem deinen deiner deines denn derer dessen dich dir du dies diese diesem
	diesen dieser dieses doch dort durch ein eine einem einen einer eines einig einige einigem einigen einiger einiges einmal er
	ihn ihm es etwas euer eure eurem euren eurer eures für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich mich
	mir ihr ihre ihrem ihren ihrer ihres euch im in indem ins ist jede jedem jeden jeder jedes jene jenem jenen jener jenes jetzt
	kann kein keine keinem keinen keiner keines können könnte machen man manche manchem manchen mancher manches mein meine meinem
	meinen meiner meines mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines
	selbst sich sie ihnen sind so solche solchem solchen solcher solches soll sollte sondern sonst über um und uns unse unsem
	unsen unser unses unter viel vom von vor während war waren warst was weg weil weiter welche welchem welchen welcher welches
	wenn werde werden wie wieder will wir wird wirst wo wollen wollte würde würden zu zum zur zwar zwischen`)
	italianStopWords = setOf(`
	ad al allo ai agli all agl alla alle con col coi da dal dallo dai dagli dall dagl dalla dalle di del dello dei degli dell
	degl della delle in nel nello nei negli nell negl nella nelle su sul sullo sui sugli sull sugl sulla sulle per tra contro io
	tu lui lei noi voi loro mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra vostri
	vostre mi ti ci vi lo la li le gli ne il un uno una ma ed se perché anche come dov dove che chi cui non più quale quanto
	quanti quanta quante quello quelli quella quelle questo questi questa queste si tutto tutti a c e i l o ho hai ha abbiamo
	avete hanno abbia abbiate abbiano avrò avrai avrà avremo avrete avranno avrei avresti avrebbe avremmo avreste avrebbero avevo
	avevi aveva avevamo avevate avevano ebbi avesti ebbe avemmo aveste ebbero avessi avesse avessimo avessero avendo avuto avuta
	avuti avute sono sei è siamo siete sia siate siano sarò sarai sarà saremo sarete saranno sarei saresti sarebbe saremmo
	sareste sarebbero ero eri era eravamo eravate erano fui fosti fu fummo foste furono fossi fosse fossimo fossero essendo
	faccio fai facciamo fanno faccia facciate facciano farò farai farà faremo farete faranno facevo facevi faceva facevamo
	facevate facevano feci facesti fece facemmo faceste fecero facendo sto stai sta stiamo stanno stia stiate stiano starò
	starai starà staremo starete staranno stavo stavi stava stavamo stavate stavano stando`)
	portugueseStopWords = setOf(`
	de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando muito nos já
	eu também só pelo pela até isso ela entre depois sem mesmo aos seus quem nas me esse eles você essa num nem suas meu às minha
	numa pelos elas qual nós lhe deles essas esses pelas este dele tu te vocês vos lhes meus minhas teu tua teus tuas nosso nossa
	nossos nossas dela delas esta estes estas aquele aquela aqueles aquelas isto aquilo estou está estamos estão estive esteve
	estivemos estiveram estava estávamos estavam esteja estejamos estejam estiver estivermos estiverem hei há havemos hão houve
	houvemos houveram haja hajamos hajam houver houvermos houverem sou somos são era éramos eram fui foi fomos foram seja sejamos
	sejam fosse fôssemos fossem for formos forem serei será seremos serão seria seríamos seriam tenho tem temos tém tinha
	tínhamos tinham tive teve tivemos tiveram tenha tenhamos tenham tiver tivermos tiverem terei terá teremos terão teria
	teríamos teriam`)
	romanianStopWords = setOf(`
	a abia acea aceasta această aceea aceeași acei aceia acel acela același acele acelea acest acesta aceste acestea acestei
	acestia acestui acești aceștia acolo acum ai aia aici al ale alea altceva altcineva am ar are as asemenea asta astea astfel
	asupra atare atât atâta atâtea atâți atunci au avea avem aveți azi aș ați ba bine ca cam cand care căci când cât câte cât
	câți ce cea ceea cei ceilalți cel cele celor ceva chiar cine cineva cu cui cum da dacă dar dată de deci deja deoarece
	departe deși din dintr dintre doar după ea ei el ele era este eu eşti fără fi fie fiecare fii fim fiți fost iar ieri il îi
	îl îmi în înainte între întru îşi își îți la le li lor lui lângă mai mea mei mele meu mi mine mod mult multe mulți ne nici
	nimic niște noastră noi nostru noștri nu nouă o ori oricare orice oricine oricum pe pentru peste pînă până poate pot prea
	prin printr sa sale sau său se sunt spre sub sunteți să săi și ta tale te ti tine toate tot toți totuși tu tăi tău un una
	unde unei unele uneori unii unor unui unul va vi voastră voi vom vor vostru voștri vreo vreun vă`)
	turkishStopWords = setOf(`
	acaba altı ama ancak artık asla aslında az bana bazen bazı bazıları belki ben benden beni benim beş bile bin bir biraz birçok
	birçoğu biri birisi birkaç birşey biz bizden bize bizi bizim böyle böylece bu buna bunda bundan bunlar bunları bunların bunu
	bunun burada bütün çoğu çoğunu çok çünkü da daha dahi de defa değil diğer diye dokuz dolayı dört eğer elbette en fakat falan
	filan gene gibi göre hâlâ hangi hangisi hani hatta hem henüz hep hepsi her herhangi herkes herkesi hiç hiçbir için iki ile
	ilgili ise işte itibaren kadar karşın kendi kendine kendini ki kim kime kimi kimin kimse madem mi mı mu mü nasıl ne neden
	nedenle nerde nerede nereye nesi neyse niçin niye o olan olarak oldu olduğu olduğunu olmadı olmak olması olsa olsun olup
	olur ona ondan onlar onlara onlardan onları onların onu onun orada oysa öyle pek rağmen sana sanki sekiz sen senden seni
	senin siz sizden size sizi sizin son sonra şayet şey şeyden şeyi şeyler şimdi şöyle şu şuna şunda şundan şunları şunu tabii
	tam tüm tümü üç üzere var vardı ve veya veyahut ya yani yedi yerine yine yoksa zaten zira`)
)

// englishStopWords is the stop list of the Snowball project.
var englishStopWords = setOf(`
	i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself
	they them their theirs themselves what which who whom this that these those am is are was were be been being have has had
	having do does did doing would should could ought i'm you're he's she's it's we're they're i've you've we've they've i'd you'd
	he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't
	didn't won't wouldn't shan't shouldn't can't cannot couldn't mustn't let's that's who's what's here's there's when's where's
	why's how's a an the and but if or because as until while of at by for with about against between into through during before
	after above below to from up down in out on off over under again further then once here there when where why how all any both
	each few more most other some such no nor not only own same so than too very`)

// setOf returns the test for a list of words, which is split when a text needs it.
func setOf(words string) func(word string) bool {
	set := sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, word := range strings.Fields(words) {
			set[word] = true
		}
		return set
	})
	return func(word string) bool { return set()[word] }
}
